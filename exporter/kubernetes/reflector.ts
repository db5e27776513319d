import { setTimeout as delay } from 'node:timers/promises';
import type { KubeConfig } from '@kubernetes/client-node';
import pRetry from 'p-retry';
import * as v from 'valibot';
import { KubernetesSession } from './api.ts';
import { FAILURE_REASONS, KubernetesError } from './kubernetes-error.ts';
import { ObjectIndex, type ObjectSink } from './object-index.ts';
import { readWatchEvents, type WatchEvent, type WatchEventType, watchError } from './watch-stream.ts';

/** A Kubernetes resource to follow, and what to keep of its objects. */
export interface Resource<T> {
  /** `nodes` */
  readonly plural: string;
  /** `/api/v1/nodes` */
  readonly path: string;
  /** Which of the objects; without it all. */
  readonly fieldSelector?: string;
  /** Takes what is used of an object, in the form of the API. Throws when it is none. */
  readonly parse: (object: unknown) => T;
}

/** Where a reflector reports to. Must not throw. */
export interface ReflectorSink<T> extends ObjectSink<T> {
  /** Everything listed is reported, and what vanished is removed. `seconds`: how long the list took. */
  readonly synced: (seconds: number) => void;
  /** The server gave a watch, or said something in it: what was reported still stands. */
  readonly heard: () => void;
  readonly failed: (error: Error) => void;
  readonly relisting: (reason: RelistReason) => void;
  readonly watchEnded: (reason: WatchEnd) => void;
  readonly received: (type: WatchEventType) => void;
}

/** Why everything is listed: at start, because the history since our version is gone, or because no watch could be had. */
export const RELIST_REASONS = ['start', 'gone', 'watch_failed'] as const;
export type RelistReason = (typeof RELIST_REASONS)[number];

/** How a watch ended: by the server in good order, or by a failure. */
export const WATCH_ENDS = ['closed', ...FAILURE_REASONS] as const;
type WatchEnd = (typeof WATCH_ENDS)[number];

/** How long a reflector waits, in milliseconds but for `watchSeconds`. */
export interface ReflectorTimes {
  /**
   * The server is asked to end a watch after `watchSeconds`, so that only a dead connection says nothing for longer than
   * `silence`: a quiet cluster has no event for minutes, and bookmarks are promised at no fixed interval.
   */
  readonly watchSeconds: number;
  readonly silence: number;
  /** Until the head of an answer. */
  readonly head: number;
  readonly firstBackoff: number;
  readonly longestBackoff: number;
  /** A watch that ends sooner without an event has failed: to open it again at once would be a flood. */
  readonly shortestWatch: number;
}

const TIMES: ReflectorTimes = {
  watchSeconds: 40,
  silence: 50_000,
  head: 30_000,
  firstBackoff: 500,
  longestBackoff: 30_000,
  shortestWatch: 1000,
};

export interface ReflectorOptions<T> {
  readonly resource: Resource<T>;
  readonly sink: ReflectorSink<T>;
  readonly loadKubeConfig: () => KubeConfig;
  /** Objects a page. */
  readonly pageSize: number;
  readonly times?: Partial<ReflectorTimes>;
}

const VERSIONED = v.object({ metadata: v.object({ resourceVersion: v.pipe(v.string(), v.nonEmpty()) }) });
const PAGE = v.object({
  metadata: v.object({
    resourceVersion: v.pipe(v.string(), v.nonEmpty()),
    continue: v.nullish(v.string(), ''),
  }),
  items: v.nullish(v.array(v.unknown()), []),
});

type Page = v.InferOutput<typeof PAGE>;

/** Pages grow tenfold each time that a page token expires; beyond this size everything is asked for at once. */
const LARGEST_PAGE = 5000;

/** A chain of pages that is longer leads nowhere: even at one object a page a cluster has fewer nodes. */
const MOST_PAGES = 100_000;

/** After so many refusals of the server in a row to give a watch from our version, everything is listed again. */
const MOST_REFUSED_WATCHES = 5;

/**
 * Follows a Kubernetes resource: lists it in pages, watches from the version of the list, resumes a watch that ended, and
 * lists again when the server no longer has our version. Failures back off with jitter. One request is under way at a time.
 *
 * Source of the protocol: Kubernetes documentation, "Kubernetes API Concepts". The name is client-go's.
 */
export class Reflector<T> {
  readonly #options: ReflectorOptions<T>;
  readonly #times: ReflectorTimes;
  readonly #index: ObjectIndex<T>;
  /** Where to watch from; undefined when everything is to be listed. */
  #version: string | undefined;
  #relistReason: RelistReason = 'start';
  #listedAt = Number.NEGATIVE_INFINITY;
  #refusedWatches = 0;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
    this.#index = new ObjectIndex(options.resource.parse, options.sink);
  }

  /** Follows until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pRetry(() => this.#cycle(signal), {
        retries: Number.POSITIVE_INFINITY,
        minTimeout: this.#times.firstBackoff,
        maxTimeout: this.#times.longestBackoff,
        randomize: true,
        signal,
        onFailedAttempt: ({ error, retryDelay }) => this.#failed(error, retryDelay, signal),
      }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }

  /** Ends when a watch that worked has ended; throws when something failed. */
  async #cycle(signal: AbortSignal): Promise<void> {
    this.#version ??= await this.#list(signal);
    await this.#watch(this.#version, signal);
  }

  /** Waits for as much longer than the backoff as the server asked for. */
  async #failed(error: Error, backoff: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#options.sink.failed(error);
    const seconds = error instanceof KubernetesError ? (error.retryAfterSeconds ?? 0) : 0;
    const longer = Math.min(seconds * 1000, this.#times.longestBackoff) - backoff;
    if (longer > 0) await delay(longer, undefined, { signal });
  }

  async #list(signal: AbortSignal): Promise<string> {
    const started = performance.now();
    this.#options.sink.relisting(this.#relistReason);
    const session = await KubernetesSession.open(this.#options.loadKubeConfig);
    try {
      const version = await this.#listFrom(session, this.#options.pageSize, signal);
      this.#listedAt = performance.now();
      this.#refusedWatches = 0;
      this.#options.sink.synced((this.#listedAt - started) / 1000);
      return version;
    } finally {
      await session.close();
    }
  }

  /** A page token lives for minutes only. When one expired, the list begins anew, in fewer pages, at last in one. */
  async #listFrom(session: KubernetesSession, pageSize: number, signal: AbortSignal): Promise<string> {
    const isPaged = pageSize <= LARGEST_PAGE;
    try {
      return await this.#listPages(session, isPaged ? pageSize : undefined, signal);
    } catch (error) {
      if (isPaged && isGone(error)) return this.#listFrom(session, pageSize * 10, signal);
      throw error;
    }
  }

  /** Reports page by page, and at the end removes what was in none: memory is needed for one page only. */
  async #listPages(
    session: KubernetesSession,
    limit: number | undefined,
    signal: AbortSignal,
  ): Promise<string> {
    const listed = new Set<string>();
    let pages = 0;
    let page: Page | undefined;
    const { path, fieldSelector } = this.#options.resource;
    do {
      const query = { fieldSelector, limit, continue: page?.metadata.continue };
      page = parsePage(await session.json(path, query, this.#patience, signal));
      for (const object of page.items) {
        const uid = this.#index.upsert(object);
        if (uid !== undefined) listed.add(uid);
      }
      pages += 1;
      if (pages > MOST_PAGES) throw new KubernetesError('the pages do not end', { reason: 'invalid_answer' });
    } while (page.metadata.continue !== '');
    this.#index.removeAllBut(listed);
    return page.metadata.resourceVersion;
  }

  async #watch(version: string, signal: AbortSignal): Promise<void> {
    const { path, fieldSelector } = this.#options.resource;
    const query = {
      fieldSelector,
      watch: true,
      allowWatchBookmarks: true,
      resourceVersion: version,
      timeoutSeconds: this.#times.watchSeconds,
    };
    const session = await KubernetesSession.open(this.#options.loadKubeConfig);
    try {
      const events = readWatchEvents(await session.stream(path, query, this.#patience, signal));
      this.#options.sink.heard();
      await this.#follow(events);
    } catch (error) {
      this.#refused(error);
      // A list that was no use for a watch must not be followed by another one at once.
      const isFreshList = performance.now() - this.#listedAt < this.#times.longestBackoff;
      if (!isGone(error) || isFreshList) throw error;
    } finally {
      await session.close();
    }
  }

  /** Reports the events of a watch. Throws at its end where opening another one at once would be no use. */
  async #follow(events: AsyncIterable<WatchEvent>): Promise<void> {
    const { sink } = this.#options;
    const opened = performance.now();
    let changes = 0;
    let failure: KubernetesError | undefined;
    try {
      for await (const event of events) {
        sink.heard();
        sink.received(event.type);
        if (event.type !== 'BOOKMARK') changes += 1;
        this.#handle(event);
      }
    } catch (error) {
      if (!(error instanceof KubernetesError)) throw error;
      failure = error;
    }
    sink.watchEnded(failure?.reason ?? 'closed');
    const isBroken = failure === undefined || failure.reason === 'connection' || failure.reason === 'timeout';
    const worked = changes > 0 || performance.now() - opened >= this.#times.shortestWatch;
    if (isBroken && worked) return;
    throw failure ?? new KubernetesError('the watch ended as soon as it began', { reason: 'connection' });
  }

  #handle(event: WatchEvent): void {
    switch (event.type) {
      case 'ADDED':
      case 'MODIFIED':
        this.#index.upsert(event.object);
        break;
      case 'DELETED':
        this.#index.delete(event.object);
        break;
      case 'BOOKMARK':
        break;
      case 'ERROR':
        throw watchError(event.object);
      default:
        throw new TypeError(`an event of type ${event.type satisfies never}`);
    }
    const versioned = v.safeParse(VERSIONED, event.object);
    if (versioned.success) this.#version = versioned.output.metadata.resourceVersion;
  }

  /** Decides after a watch that could not be had, or went wrong, from where to go on. */
  #refused(error: unknown): void {
    if (isGone(error)) {
      this.#version = undefined;
      this.#relistReason = 'gone';
      return;
    }
    const isAnswer = error instanceof KubernetesError && error.status !== undefined;
    this.#refusedWatches = isAnswer ? this.#refusedWatches + 1 : 0;
    if (this.#refusedWatches < MOST_REFUSED_WATCHES) return;
    this.#version = undefined;
    this.#relistReason = 'watch_failed';
  }

  get #patience(): { head: number; body: number } {
    return { head: this.#times.head, body: this.#times.silence };
  }
}

function isGone(error: unknown): boolean {
  return error instanceof KubernetesError && error.reason === 'gone';
}

function parsePage(answer: unknown): Page {
  try {
    return v.parse(PAGE, answer);
  } catch (cause) {
    throw new KubernetesError('the answer is no Kubernetes list', { reason: 'invalid_answer', cause });
  }
}
