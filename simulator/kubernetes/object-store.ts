import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { EventHistory, type StoreEvent, type StoreEventType } from './event-history.ts';
import {
  copyJson,
  type JsonObject,
  type KubernetesObject,
  kubernetesTime,
  type NewObject,
} from './object.ts';
import { apiVersionOf, qualifiedName, type Resource } from './resource.ts';
import { statusError } from './status.ts';

/** Name of an object; with its namespace where the resource is namespaced. */
export type ObjectKey = string | { readonly namespace: string; readonly name: string };

export interface ObjectStoreOptions {
  /** How many changes are remembered at least for watches and pages that come later. */
  readonly historyLength?: number;
}

/** The objects of one resource as they were at one revision, in the order of their keys. */
export interface Snapshot<T extends KubernetesObject = KubernetesObject> {
  readonly revision: number;
  readonly keys: readonly string[];
  get: (key: string) => T | undefined;
}

type Listener<T extends KubernetesObject> = (event: StoreEvent<T>) => void;

interface Collection {
  readonly objects: Map<string, KubernetesObject>;
  readonly listeners: Set<Listener<KubernetesObject>>;
  /** Keys in order, until an object comes or goes. */
  sortedKeys: string[] | undefined;
}

/**
 * What etcd is to a cluster: objects, one revision for all of them, and a bounded history of changes that can be compacted.
 * Called in the process it checks nothing but names: tests may store values that no API server would take.
 */
export class ObjectStore {
  readonly #collections = new Map<string, Collection>();
  readonly #history: EventHistory;
  /** Like a cluster that has lived for a while: no test should rely on small numbers. */
  #revision = 1000;

  constructor(options: ObjectStoreOptions = {}) {
    this.#history = new EventHistory(options.historyLength ?? 10_000, this.#revision);
  }

  /** The revision of the latest change: resourceVersion of lists. */
  get revision(): number {
    return this.#revision;
  }

  /** Changes up to here are forgotten: a watch or page from an older revision gets 410. */
  get compactedRevision(): number {
    return this.#history.compactedRevision;
  }

  /** Forgets all changes up to a revision, by default all. Open watches go on. */
  compact(revision: number = this.#revision): void {
    this.#history.compact(Math.min(revision, this.#revision));
  }

  count(resource: Resource): number {
    return this.#collection(resource).objects.size;
  }

  get<T extends KubernetesObject>(resource: Resource<T>, key: ObjectKey): T | undefined {
    // What is stored under a resource has its type, save what tests put there on purpose.
    return this.#collection(resource).objects.get(keyText(key)) as T | undefined;
  }

  /** All objects, in the order of their keys. */
  list<T extends KubernetesObject>(resource: Resource<T>): T[] {
    const snapshot = this.snapshot(resource, this.#revision);
    return snapshot.keys.flatMap((key) => snapshot.get(key) ?? []);
  }

  /** Throws a StatusError 409 if the object exists. */
  create<T extends KubernetesObject>(resource: Resource<T>, object: NewObject<T>): T {
    const { name, namespace } = object.metadata;
    if (this.get(resource, keyOf(name, namespace)) !== undefined) {
      throw statusError(409, `${qualifiedName(resource)} "${name}" already exists`, {
        reason: 'AlreadyExists',
        details: { name, kind: resource.plural },
      });
    }
    return this.#store('ADDED', resource, completed(resource, object)) as T;
  }

  /** Creates or replaces an object by any JSON that has a metadata.name, however wrong the rest is. */
  put(
    resource: Resource,
    object: JsonObject & { metadata: JsonObject & { name: string } },
  ): KubernetesObject {
    const complete = completed(resource, object as NewObject<KubernetesObject>);
    const exists = this.#collection(resource).objects.has(keyText(complete.metadata));
    return this.#store(exists ? 'MODIFIED' : 'ADDED', resource, complete);
  }

  /**
   * Changes a copy of an object and stores it under a new revision, unless the change changed nothing.
   * Throws a StatusError 404 if there is none.
   */
  update<T extends KubernetesObject>(resource: Resource<T>, key: ObjectKey, change: (draft: T) => void): T {
    const current = this.#existing(resource, key);
    const draft = copyJson(current);
    change(draft);
    draft.metadata.resourceVersion = current.metadata.resourceVersion;
    if (isDeepStrictEqual(draft, current)) return current;
    return this.#store('MODIFIED', resource, draft) as T;
  }

  /** Throws a StatusError 404 if there is none. */
  delete<T extends KubernetesObject>(resource: Resource<T>, key: ObjectKey): T {
    const current = this.#existing(resource, key);
    const last = { ...current, metadata: { ...current.metadata } };
    return this.#store('DELETED', resource, last) as T;
  }

  /** Calls back after each change of the resource from now on, in the same turn. Returns the end of it. */
  watch<T extends KubernetesObject>(resource: Resource<T>, listener: Listener<T>): () => void {
    const { listeners } = this.#collection(resource);
    const own = listener as Listener<KubernetesObject>;
    listeners.add(own);
    return () => listeners.delete(own);
  }

  /** Throws a StatusError 410 if the revision is compacted. */
  eventsSince<T extends KubernetesObject>(resource: Resource<T>, revision: number): StoreEvent<T>[] {
    if (revision < this.compactedRevision) {
      throw statusError(410, `too old resource version: ${revision} (${this.compactedRevision})`);
    }
    return this.#history
      .since(revision)
      .filter((event) => qualifiedName(event.resource) === qualifiedName(resource)) as StoreEvent<T>[];
  }

  /** Throws a StatusError 410 if the revision is compacted. */
  snapshot<T extends KubernetesObject>(resource: Resource<T>, revision: number): Snapshot<T> {
    const later = revision === this.#revision ? [] : this.eventsSince(resource, revision);
    const collection = this.#collection(resource);
    collection.sortedKeys ??= [...collection.objects.keys()].sort(byCodeUnits);
    // The first change after the revision knows what was there before it.
    const before = new Map<string, T | undefined>();
    for (const event of later) {
      const key = keyText(event.object.metadata);
      if (!before.has(key)) before.set(key, event.previous);
    }
    return {
      revision,
      keys: undoneKeys(collection.sortedKeys, before),
      get: (key) => (before.has(key) ? before.get(key) : (collection.objects.get(key) as T | undefined)),
    };
  }

  #collection(resource: Resource): Collection {
    const name = qualifiedName(resource);
    const known = this.#collections.get(name);
    if (known !== undefined) return known;
    const made: Collection = { objects: new Map(), listeners: new Set(), sortedKeys: undefined };
    this.#collections.set(name, made);
    return made;
  }

  #existing<T extends KubernetesObject>(resource: Resource<T>, key: ObjectKey): T {
    const current = this.get(resource, key);
    if (current !== undefined) return current;
    const name = typeof key === 'string' ? key : key.name;
    throw statusError(404, `${qualifiedName(resource)} "${name}" not found`, {
      details: { name, kind: resource.plural },
    });
  }

  #store(type: StoreEventType, resource: Resource, object: KubernetesObject): KubernetesObject {
    const collection = this.#collection(resource);
    const key = keyText(object.metadata);
    const previous = collection.objects.get(key);
    this.#revision += 1;
    object.metadata.resourceVersion = String(this.#revision);
    if (type === 'DELETED') collection.objects.delete(key);
    else collection.objects.set(key, object);
    if (type !== 'MODIFIED') collection.sortedKeys = undefined;
    const event: StoreEvent = { revision: this.#revision, type, resource, object, previous };
    this.#history.add(event);
    for (const listener of [...collection.listeners]) listener(event);
    return object;
  }
}

/** The key of a name in a namespace; a resource without namespaces has none. */
export function keyOf(name: string, namespace: string | undefined): ObjectKey {
  return namespace === undefined ? name : { namespace, name };
}

function keyText(key: string | { readonly namespace?: string; readonly name: string }): string {
  if (typeof key === 'string') return key;
  return key.namespace === undefined ? key.name : `${key.namespace}/${key.name}`;
}

function completed<T extends KubernetesObject>(
  resource: Resource<T>,
  object: NewObject<T>,
): KubernetesObject {
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = copyJson(object);
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: {
      uid: randomUUID(),
      creationTimestamp: kubernetesTime(Date.now()),
      ...metadata,
      resourceVersion: '',
    },
    ...rest,
  };
}

function undoneKeys(
  keys: readonly string[],
  before: ReadonlyMap<string, KubernetesObject | undefined>,
): readonly string[] {
  const present = new Set(keys);
  const same = [...before].every(([key, object]) => present.has(key) === (object !== undefined));
  if (same) return keys;
  for (const [key, object] of before) {
    if (object === undefined) present.delete(key);
    else present.add(key);
  }
  return [...present].sort(byCodeUnits);
}

/** The order of etcd, for names of ASCII. */
function byCodeUnits(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
