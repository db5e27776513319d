import type { StoreEvent, StoreEventType } from './event-history.ts';
import type { WatchFault } from './fault.ts';
import type { KubernetesObject } from './object.ts';
import type { ObjectStore } from './object-store.ts';
import { type Representation, representEventObject } from './representation.ts';
import { apiVersionOf, type Resource } from './resource.ts';
import type { Selector } from './selector.ts';
import { failure, type Status } from './status.ts';

export interface WatchOptions {
  /** Events after this revision are sent; undefined: first an ADDED for each object that is there. */
  readonly revision: number | undefined;
  readonly namespace: string | undefined;
  readonly selector: Selector;
  readonly representation: Representation;
  /** Sends a BOOKMARK this often and at the end; undefined: none. */
  readonly bookmarkIntervalMs: number | undefined;
  readonly timeoutMs: number;
}

/** Where the lines of a watch go. */
export interface WatchStream {
  write: (text: string) => void;
  /** Ends the answer as after a time-out. */
  end: () => void;
  /** Cuts the connection once all that was written is on its way. */
  cut: () => void;
}

interface Strike {
  readonly fault: WatchFault;
  /** Number of events sent when it is due. */
  readonly at: number;
}

/** One watch that a client holds open. */
export class OpenWatch {
  /** Plural name of what is watched. */
  readonly resource: string;
  readonly #resource: Resource;
  readonly #options: WatchOptions;
  readonly #stream: WatchStream;
  #state: 'open' | 'silent' | 'closed' = 'open';
  #strikes: Strike[] = [];
  #sent = 0;
  #first = true;
  /** Revision up to which the client has been told everything. */
  #revision = 0;
  #stop: (() => void) | undefined;

  constructor(resource: Resource, stream: WatchStream, options: WatchOptions) {
    this.resource = resource.plural;
    this.#resource = resource;
    this.#stream = stream;
    this.#options = options;
  }

  /** Sends what is there and then all that comes. Throws a StatusError 410 if the revision is compacted. */
  begin(store: ObjectStore): void {
    const { revision, bookmarkIntervalMs, timeoutMs } = this.#options;
    const missed =
      revision === undefined
        ? initialEvents(store, this.#resource)
        : store.eventsSince(this.#resource, revision);
    this.#revision = Math.max(store.revision, revision ?? 0);
    const unsubscribe = store.watch(this.#resource, (event) => this.#deliver(event));
    const timer = setTimeout(() => this.#timeOut(), timeoutMs);
    const bookmarks =
      bookmarkIntervalMs === undefined
        ? undefined
        : setInterval(() => this.#bookmark(store.revision), bookmarkIntervalMs);
    this.#stop = () => {
      unsubscribe();
      clearTimeout(timer);
      clearInterval(bookmarks);
    };
    for (const event of missed) this.#deliver(event);
  }

  /** Lets a fault befall it, counted in events from now on. */
  strike(fault: WatchFault): void {
    this.#strikes.push({ fault, at: this.#sent + fault.afterEvents });
    this.#befall();
  }

  /** Sends an ERROR event and ends the stream. */
  fail(status: Status): void {
    this.#write(JSON.stringify({ type: 'ERROR', object: status }));
    this.#end();
  }

  /** The client has gone, or the server goes: sends nothing more. */
  close(): void {
    this.#state = 'closed';
    this.#stop?.();
  }

  #deliver(event: StoreEvent): void {
    const { revision } = this.#options;
    if (revision !== undefined && event.revision <= revision) return;
    this.#revision = Math.max(this.#revision, event.revision);
    const type = this.#typeFor(event);
    if (type === undefined) return;
    // What leaves the selection is shown as it was in it.
    const left = type === 'DELETED' && event.type !== 'DELETED' && event.previous !== undefined;
    this.#send(type, left ? atRevision(event.previous, event.revision) : event.object);
  }

  /** What a change is to this client, whose selector may see an object come and go. */
  #typeFor({ type, object, previous }: StoreEvent): StoreEventType | undefined {
    const was = type !== 'ADDED' && previous !== undefined && this.#selects(previous);
    const is = type !== 'DELETED' && this.#selects(object);
    if (is) return was ? 'MODIFIED' : 'ADDED';
    return was ? 'DELETED' : undefined;
  }

  #selects(object: KubernetesObject): boolean {
    const { namespace, selector } = this.#options;
    return (namespace === undefined || object.metadata.namespace === namespace) && selector(object);
  }

  #send(type: StoreEventType, object: KubernetesObject): void {
    if (this.#state !== 'open') return;
    const spoiled = this.#takeDue((fault) => !isImmediate(fault));
    const shown =
      spoiled?.kind === 'event without metadata' ? withoutMetadata(object) : this.#represent(object);
    const line = `{"type":"${type}","object":${shown}}`;
    this.#sent += 1;
    if (spoiled?.kind === 'truncated line') {
      this.#stream.write(line.slice(0, line.length / 2));
      this.#cut();
      return;
    }
    this.#write(line);
    this.#befall();
  }

  #represent(object: KubernetesObject): string {
    const text = representEventObject(this.#resource, object, this.#options.representation, this.#first);
    this.#first = false;
    return text;
  }

  #bookmark(revision: number): void {
    if (this.#state !== 'open') return;
    const bookmark = {
      kind: this.#resource.kind,
      apiVersion: apiVersionOf(this.#resource),
      // Never below what was sent: a watch may have begun at a revision yet to come.
      metadata: { resourceVersion: String(Math.max(revision, this.#revision)), creationTimestamp: null },
    };
    const { representation } = this.#options;
    const shown =
      representation.as === 'object'
        ? bookmark
        : {
            kind: 'Table',
            apiVersion: 'meta.k8s.io/v1',
            metadata: bookmark.metadata,
            columnDefinitions: null,
            rows: [],
          };
    this.#write(JSON.stringify({ type: 'BOOKMARK', object: shown }));
  }

  #timeOut(): void {
    if (this.#options.bookmarkIntervalMs !== undefined) this.#bookmark(this.#revision);
    this.#end();
  }

  #write(line: string): void {
    if (this.#state === 'open') this.#stream.write(`${line}\n`);
  }

  #end(): void {
    if (this.#state !== 'open') return;
    this.close();
    this.#stream.end();
  }

  #cut(): void {
    this.close();
    this.#stream.cut();
  }

  #befall(): void {
    for (let fault = this.#takeDue(isImmediate); fault !== undefined; fault = this.#takeDue(isImmediate)) {
      this.#suffer(fault);
    }
  }

  #suffer(fault: WatchFault): void {
    switch (fault.kind) {
      case 'silence':
        this.#state = 'silent';
        return;
      case 'cut':
        if (fault.cleanly) this.#end();
        else this.#cut();
        return;
      case 'line':
        this.#write(fault.text);
        return;
      case 'error event':
        this.fail(failure(fault.code, fault.message ?? `simulated error ${fault.code}`, reasonOf(fault)));
        return;
      case 'truncated line':
      case 'event without metadata':
        // They befall an event, when it is sent.
        return;
      default:
        void (fault satisfies never);
    }
  }

  #takeDue(wanted: (fault: WatchFault) => boolean): WatchFault | undefined {
    const due = this.#strikes.find(({ fault, at }) => at <= this.#sent && wanted(fault));
    this.#strikes = this.#strikes.filter((strike) => strike !== due);
    return due?.fault;
  }
}

function isImmediate(fault: WatchFault): boolean {
  return fault.kind !== 'truncated line' && fault.kind !== 'event without metadata';
}

function reasonOf(fault: { readonly reason?: string | undefined }): { reason?: string } {
  return fault.reason === undefined ? {} : { reason: fault.reason };
}

function initialEvents(store: ObjectStore, resource: Resource): StoreEvent[] {
  return store.list(resource).map((object) => ({
    revision: store.revision,
    type: 'ADDED',
    resource,
    object,
    previous: undefined,
  }));
}

function atRevision(object: KubernetesObject, revision: number): KubernetesObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

function withoutMetadata(object: KubernetesObject): string {
  const { metadata: _metadata, ...rest } = object;
  return JSON.stringify(rest);
}
