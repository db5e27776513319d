import {
  type InterruptedResource,
  type InterruptionCause,
  type InterruptionPoint,
  KNOWN_CAUSES,
} from '../gke/interruption.ts';
import { type CountingTimes, horizon, nextChange } from '../gke/interruption-count.ts';
import { InterruptionSeries } from '../gke/interruption-series.ts';
import type { Sample } from '../metrics/family.ts';
import {
  type InterruptionsByCause,
  nodeInterruptionSamples,
  nodePoolInterruptionSamples,
} from './interruption-samples.ts';

/** Beyond the known causes. A source that names ever new ones is broken. */
const MOST_UNKNOWN_CAUSES = 100;
/** Thirty times as many as when each node of a fleet of 65,000 is interrupted twice in an era. */
const MOST_POINTS = 4_000_000;

export interface InterruptionsOptions {
  readonly times: CountingTimes;
  /** How long a node's series stay visible, in milliseconds. */
  readonly nodeRetention: number;
  /** Takes everything that there is to say of a node or node pool. */
  readonly replace: (key: string, samples: readonly Sample[]) => void;
}

/** A node or node pool of which something is known. */
interface Entry {
  readonly resource: InterruptedResource;
  readonly byCause: Map<string, InterruptionsByCause>;
  /** When what there is to say of it changes; 0: now. */
  due: number;
}

/** All interruptions of an era that are known, and what there is to say of them at any instant. */
export class Interruptions {
  readonly #options: InterruptionsOptions;
  readonly #entries = new Map<string, Entry>();
  /** Known beforehand, or seen in the era: what node pools show 0 for. */
  readonly #causes = new Map(KNOWN_CAUSES.map((cause) => [causeKey(cause), cause]));
  readonly #existing = new Map<string, ReadonlySet<string>>();
  #points = 0;

  constructor(options: InterruptionsOptions) {
    this.#options = options;
  }

  /** How many points are known. */
  get points(): number {
    return this.#points;
  }

  /** Adds points, whether known or not. Returns how many of them there was no room for. */
  add(points: Iterable<InterruptionPoint>, now: number): number {
    const oldest = horizon(now, this.#options.times);
    let refused = 0;
    for (const point of points) {
      if (point.endTime <= oldest || point.count === 0) continue;
      const cause = this.#knownCause(point.cause);
      if (cause === undefined || this.#points >= MOST_POINTS) refused += 1;
      else this.#add(point, cause);
    }
    return refused;
  }

  /**
   * Says which node pools a project has. All interruptions of node pools must have been read before: a pool without any shows 0.
   */
  setNodePools(projectId: string, pools: Iterable<InterruptedResource>): void {
    const keys = new Set<string>();
    for (const pool of pools) {
      this.#entry(pool);
      keys.add(resourceKey(pool));
    }
    this.#existing.set(projectId, keys);
  }

  /** Says anew what has changed by points or by time. Returns the next instant at which something will change. */
  render(now: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const [key, entry] of this.#entries) {
      if (entry.due <= now) this.#renderEntry(key, entry, now);
      next = Math.min(next, entry.due);
    }
    return next;
  }

  /** Forgets what is not shown any more. */
  forget(now: number): void {
    const oldest = horizon(now, this.#options.times);
    const seen = new Set(KNOWN_CAUSES.map(causeKey));
    for (const [key, entry] of this.#entries) {
      for (const [cause, { series }] of entry.byCause) {
        this.#points -= series.length;
        series.forget(oldest);
        this.#points += series.length;
        if (series.length === 0) entry.byCause.delete(cause);
        else seen.add(cause);
      }
      if (entry.byCause.size === 0 && !this.#exists(key)) this.#removeEntry(key);
    }
    for (const cause of this.#causes.keys()) {
      if (!seen.has(cause)) this.#changeCauses(() => this.#causes.delete(cause));
    }
  }

  #add({ resource, endTime, count }: InterruptionPoint, cause: InterruptionCause): void {
    const entry = this.#entry(resource);
    const key = causeKey(cause);
    const known = entry.byCause.get(key);
    const series = known?.series ?? new InterruptionSeries();
    if (known === undefined) entry.byCause.set(key, { cause, series });
    const before = series.length;
    if (!series.add(endTime, count)) return;
    this.#points += series.length - before;
    entry.due = 0;
  }

  #entry(resource: InterruptedResource): Entry {
    const key = resourceKey(resource);
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const entry = { resource, byCause: new Map<string, InterruptionsByCause>(), due: 0 };
    this.#entries.set(key, entry);
    return entry;
  }

  /** The one object for a cause; undefined when there are too many. */
  #knownCause(cause: InterruptionCause): InterruptionCause | undefined {
    const key = causeKey(cause);
    const known = this.#causes.get(key);
    if (known !== undefined) return known;
    if (this.#causes.size >= KNOWN_CAUSES.length + MOST_UNKNOWN_CAUSES) return undefined;
    this.#changeCauses(() => this.#causes.set(key, cause));
    return cause;
  }

  #changeCauses(change: () => unknown): void {
    change();
    for (const entry of this.#entries.values()) {
      if (entry.resource.kind === 'node_pool') entry.due = 0;
    }
  }

  #exists(key: string): boolean {
    for (const keys of this.#existing.values()) if (keys.has(key)) return true;
    return false;
  }

  #removeEntry(key: string): void {
    this.#entries.delete(key);
    this.#options.replace(key, []);
  }

  #renderEntry(key: string, entry: Entry, now: number): void {
    const { times, nodeRetention, replace } = this.#options;
    const { resource } = entry;
    if (resource.kind === 'node_pool') {
      replace(key, nodePoolInterruptionSamples(resource, this.#withZeros(entry), now, times));
      entry.due = firstOf([...entry.byCause.values()].map(({ series }) => nextChange(series, now, times)));
      return;
    }
    const visibleFor = nodeRetention + times.delay;
    const visible = [...entry.byCause.values()].filter(
      ({ series: { last = Number.NEGATIVE_INFINITY } }) => last + visibleFor > now,
    );
    replace(key, nodeInterruptionSamples(resource, visible, now, times));
    entry.due = firstOf(
      visible.map(({ series }) => Math.min(nextChange(series, now, times), (series.last ?? 0) + visibleFor)),
    );
  }

  #withZeros({ byCause }: Entry): InterruptionsByCause[] {
    return Array.from(this.#causes, ([key, cause]) => byCause.get(key) ?? { cause, series: NONE });
  }
}

const NONE = new InterruptionSeries();

function firstOf(instants: readonly number[]): number {
  return Math.min(Number.POSITIVE_INFINITY, ...instants);
}

function resourceKey({ kind, projectId, location, clusterName, name }: InterruptedResource): string {
  return JSON.stringify([kind, projectId, location, clusterName, name]);
}

function causeKey({ type, reason }: InterruptionCause): string {
  return JSON.stringify([type, reason]);
}
