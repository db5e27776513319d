import { EventEmitter, on } from 'node:events';

/** What can happen to a node. */
export type What =
  | 'maintenance scheduled'
  | 'maintenance cancelled'
  | 'maintenance requested'
  | 'request ignored'
  | 'maintenance started'
  | 'window taint set'
  | 'node terminating'
  | 'node down'
  | 'node unreachable'
  | 'node ready'
  | 'window taint removed'
  | 'maintenance cleared'
  | 'node preempted'
  | 'node deleted'
  | 'node created'
  | 'host error'
  | 'node cordoned'
  | 'node uncordoned'
  | 'node upgrading'
  | 'node upgraded'
  | 'node defragmented';

/** What Cloud Monitoring counts, by its labels interruption_type and interruption_reason. */
export interface Interruption {
  readonly type: 'TerminationEvent' | 'MaintenanceEvent' | 'PreemptionEvent';
  readonly reason: string;
}

export interface Happening {
  /** Unix milliseconds. */
  readonly at: number;
  readonly node: string;
  readonly nodePool: string;
  readonly what: What;
  /** One sentence for people; may be empty. */
  readonly detail: string;
  /** Set when the node's workloads are interrupted by it. */
  readonly interruption: Interruption | undefined;
}

const PATIENCE_MS = 20_000;

/** What has happened since the start, and what happens. */
export class Happenings {
  readonly #emitter = new EventEmitter<{ happening: [Happening] }>();
  readonly #past: Happening[] = [];
  readonly #ended = new AbortController();

  constructor() {
    // A test may await as many nodes as it likes.
    this.#emitter.setMaxListeners(0);
  }

  get past(): readonly Happening[] {
    return this.#past;
  }

  add(happening: Happening): void {
    this.#past.push(happening);
    this.#emitter.emit('happening', happening);
  }

  /** Calls back at each happening from now on. Returns the end of it. */
  listen(listener: (happening: Happening) => void): () => void {
    this.#emitter.on('happening', listener);
    return () => this.#emitter.off('happening', listener);
  }

  /** The first that fits, of the past or to come. Rejects after `patienceMs`, and when the simulator stops. */
  until(fits: (happening: Happening) => boolean, patienceMs: number = PATIENCE_MS): Promise<Happening> {
    const known = this.#past.find(fits);
    if (known !== undefined) return Promise.resolve(known);
    const { promise, resolve, reject } = Promise.withResolvers<Happening>();
    const end = this.listen((happening) => {
      if (fits(happening)) resolve(happening);
    });
    const timer = setTimeout(() => {
      const seen = this.#past.map(({ node, what }) => `${node}: ${what}`).join('\n');
      reject(new Error(`it has not happened within ${patienceMs} ms; what has:\n${seen}`));
    }, patienceMs);
    const stopped = (): void => reject(new Error('the simulator has stopped'));
    this.#ended.signal.addEventListener('abort', stopped);
    return promise.finally(() => {
      end();
      clearTimeout(timer);
      this.#ended.signal.removeEventListener('abort', stopped);
    });
  }

  /** All from now on, until the simulator stops. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Happening> {
    try {
      for await (const [happening] of on(this.#emitter, 'happening', { signal: this.#ended.signal })) {
        yield happening as Happening;
      }
    } catch (error) {
      if (!this.#ended.signal.aborted) throw error;
    }
  }

  end(): void {
    this.#ended.abort();
  }
}

/** One line for people: `23:04:51Z  a4  gke-demo-a4-857ba5b2-4vcw  node down`, and the detail if there is one. */
export function describeHappening({ at, node, nodePool, what, detail }: Happening): string {
  const time = new Date(at).toISOString().slice(11, 19);
  return `${time}Z  ${nodePool.padEnd(8)}  ${node}  ${what}${detail === '' ? '' : `. ${detail}`}`;
}
