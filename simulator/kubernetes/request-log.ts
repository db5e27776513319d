import type { Verb } from './request-info.ts';

/** A request that the API server has taken: `list nodes`, `watch nodes`, `patch leases.coordination.k8s.io`. */
export type RequestKind = `${Verb} ${string}`;

export interface SeenRequest {
  readonly kind: RequestKind;
  /** Path and query as sent. */
  readonly url: string;
  readonly name: string | undefined;
  /** Number of the page of a list, from 1; undefined for all other verbs. */
  readonly page: number | undefined;
  readonly userAgent: string;
  /** HTTP status; undefined if the connection was broken before one was sent. */
  readonly code: number | undefined;
}

interface Waiter {
  readonly kind: RequestKind;
  readonly ended: boolean;
  readonly resolve: (request: SeenRequest) => void;
}

/** After how long a test learns that what it awaits does not come. */
const PATIENCE_MS = 10_000;

/**
 * What clients have asked for, so that tests await requests instead of sleeping. A watch counts when its first byte is on
 * the way (a change made afterwards reaches it), everything else when it is answered.
 */
export class RequestLog {
  readonly #counts = new Map<RequestKind, number>();
  readonly #openWatches = new Map<RequestKind, number>();
  #waiters: Waiter[] = [];

  /** How many requests of a kind were answered, watches: begun. */
  count(kind: RequestKind): number {
    return this.#counts.get(kind) ?? 0;
  }

  /** How many watches of a resource (`nodes`) are open now. */
  openWatches(resource: string): number {
    return this.#openWatches.get(`watch ${resource}`) ?? 0;
  }

  /** All counts, by kind. */
  counts(): Record<string, number> {
    return Object.fromEntries([...this.#counts].sort(([one], [other]) => one.localeCompare(other)));
  }

  /** The next request of a kind from now on. Rejects after `patienceMs`. */
  next(kind: RequestKind, patienceMs: number = PATIENCE_MS): Promise<SeenRequest> {
    return this.#wait(kind, false, patienceMs);
  }

  /** The next end of a watch of this kind, from now on. Rejects after `patienceMs`. */
  nextEnd(kind: RequestKind, patienceMs: number = PATIENCE_MS): Promise<SeenRequest> {
    return this.#wait(kind, true, patienceMs);
  }

  /** Until so many requests of a kind were answered since the start. Rejects after `patienceMs` without one. */
  async reached(kind: RequestKind, count: number, patienceMs: number = PATIENCE_MS): Promise<void> {
    while (this.count(kind) < count) await this.next(kind, patienceMs);
  }

  /** For the API server. */
  answered(request: SeenRequest): void {
    this.#counts.set(request.kind, this.count(request.kind) + 1);
    this.#tell(request, false);
  }

  /** For the API server: a watch has begun. Returns what to call when it ends. */
  watchBegan(request: SeenRequest): () => void {
    this.#openWatches.set(request.kind, (this.#openWatches.get(request.kind) ?? 0) + 1);
    this.answered(request);
    return () => {
      this.#openWatches.set(request.kind, (this.#openWatches.get(request.kind) ?? 1) - 1);
      this.#tell(request, true);
    };
  }

  #wait(kind: RequestKind, ended: boolean, patienceMs: number): Promise<SeenRequest> {
    const { promise, resolve, reject } = Promise.withResolvers<SeenRequest>();
    const waiter: Waiter = { kind, ended, resolve };
    this.#waiters.push(waiter);
    const timer = setTimeout(() => {
      this.#waiters = this.#waiters.filter((other) => other !== waiter);
      const what = ended ? `end of a '${kind}'` : `'${kind}'`;
      reject(new Error(`no ${what} within ${patienceMs} ms; seen: ${JSON.stringify(this.counts())}`));
    }, patienceMs);
    return promise.finally(() => clearTimeout(timer));
  }

  #tell(request: SeenRequest, ended: boolean): void {
    const told = this.#waiters.filter((waiter) => waiter.kind === request.kind && waiter.ended === ended);
    this.#waiters = this.#waiters.filter((waiter) => !told.includes(waiter));
    for (const waiter of told) waiter.resolve(request);
  }
}
