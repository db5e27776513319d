import {
  type InterruptedKind,
  type InterruptedResource,
  type InterruptionPoint,
  readInterruptions,
  readResource,
} from '../gke/interruption.ts';
import { type CountingTimes, horizon } from '../gke/interruption-count.ts';
import type { InvalidValue } from '../gke/invalid-value.ts';
import { type GoogleError, partialAnswer } from '../google/google-error.ts';
import type { TimeSeriesList, TimeSeriesQuery } from '../google/monitoring.ts';
import type { TimeSeries } from '../google/time-series.ts';

/** Pools come and go seldom, and one that is interrupted before it is known shows itself by that. */
const READ_POOLS_EVERY = 600_000;
/** How far back a pool's status is looked for: sampled every minute, visible after two. */
const POOL_STATUS_WINDOW = 600_000;

/** Clocks differ, and an answer takes its time: so much more than the lateness is read again. */
const OVERLAP = 1.2;

/** Which clusters of a project are read; undefined: any. */
interface ClusterSelection {
  readonly location: string | undefined;
  readonly clusterName: string | undefined;
}

export interface InterruptionReaderOptions {
  readonly projectId: string;
  readonly selection: ClusterSelection;
  readonly times: CountingTimes;
  readonly list: (query: TimeSeriesQuery) => Promise<TimeSeriesList>;
  readonly sink: InterruptionSink;
}

/** Where a reader reports to. */
export interface InterruptionSink {
  readonly points: (points: readonly InterruptionPoint[], now: number) => void;
  /** All node pools that exist; called only after their interruptions were read. */
  readonly nodePools: (pools: readonly InterruptedResource[]) => void;
  readonly invalid: (value: InvalidValue) => void;
}

/**
 * Reads the interruption counts of one project. The first reading goes back to the horizon of what is shown; each later one
 * overlaps what was read before by more than a point can be late. What was read in part is read again.
 */
export class InterruptionReader {
  readonly #options: InterruptionReaderOptions;
  /** Up to which instant all points of a metric are known but the late ones, in Unix milliseconds. */
  readonly #readUpTo: Partial<Record<InterruptedKind, number>> = {};
  #pools: readonly InterruptedResource[] = [];
  #poolsReadAt = Number.NEGATIVE_INFINITY;

  constructor(options: InterruptionReaderOptions) {
    this.#options = options;
  }

  /** Reads what is new. Throws a GoogleError if anything failed; what could be read is reported nevertheless. */
  async read(now: number): Promise<void> {
    const readings = [this.#readInterruptions('node', now), this.#readNodePools(now)];
    const failed = (await Promise.allSettled(readings)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  async #readNodePools(now: number): Promise<void> {
    await this.#readInterruptions('node_pool', now);
    if (now - this.#poolsReadAt >= READ_POOLS_EVERY) await this.#readExistingPools(now);
  }

  async #readInterruptions(kind: InterruptedKind, now: number): Promise<void> {
    const { times, sink } = this.#options;
    const readUpTo = this.#readUpTo[kind];
    const oldest = horizon(now, times);
    const start = readUpTo === undefined ? oldest : Math.max(oldest, readUpTo - times.lateness * OVERLAP);
    const answer = await this.#list(`${kind}/interruption_count`, kind, { start, end: now });
    const isComplete = answer.executionErrors.length === 0;
    // Before everything was read once, a count is not known: to show less would be to show that it fell.
    if (readUpTo !== undefined || isComplete) sink.points(this.#pointsOf(kind, answer.series, now), now);
    if (!isComplete) throw this.#partial(answer);
    this.#readUpTo[kind] = now;
  }

  async #readExistingPools(now: number): Promise<void> {
    const interval = { start: now - POOL_STATUS_WINDOW, end: now };
    const answer = await this.#list('node_pool/status', 'node_pool', interval);
    const isComplete = answer.executionErrors.length === 0;
    const pools = answer.series.flatMap(
      ({ resourceLabels }) => readResource('node_pool', resourceLabels) ?? [],
    );
    this.#pools = isComplete ? pools : [...this.#pools, ...pools];
    this.#options.sink.nodePools(this.#pools);
    if (!isComplete) throw this.#partial(answer);
    this.#poolsReadAt = now;
  }

  async #list(
    metric: string,
    kind: InterruptedKind,
    interval: { readonly start: number; readonly end: number },
  ): Promise<TimeSeriesList> {
    const { projectId, selection, list, sink } = this.#options;
    const answer = await list({ projectId, filter: filterFor(metric, kind, selection), ...interval });
    for (const value of answer.unreadable) sink.invalid({ source: 'monitoring', field: metric, value });
    return answer;
  }

  #pointsOf(kind: InterruptedKind, series: readonly TimeSeries[], now: number): InterruptionPoint[] {
    return series.flatMap((each) => {
      const { points, invalid } = readInterruptions(kind, each, now);
      for (const value of invalid) this.#options.sink.invalid(value);
      return points;
    });
  }

  #partial({ executionErrors }: TimeSeriesList): GoogleError {
    return partialAnswer(this.#options.projectId, executionErrors);
  }
}

/** A filter of Cloud Monitoring. Source: Cloud Monitoring documentation, "Monitoring filters". */
function filterFor(
  metric: string,
  kind: InterruptedKind,
  { location, clusterName }: ClusterSelection,
): string {
  const terms = [
    ['metric.type', `kubernetes.io/${metric}`],
    ['resource.type', `k8s_${kind}`],
    ['resource.labels.location', location],
    ['resource.labels.cluster_name', clusterName],
  ] as const;
  return terms
    .flatMap(([selector, value]) => (value === undefined ? [] : [`${selector} = ${JSON.stringify(value)}`]))
    .join(' AND ');
}
