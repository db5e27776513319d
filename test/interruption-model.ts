// A model of Cloud Monitoring, exporter and scraper in which time is a number, for the property tests.

import { InterruptionReader } from '../exporter/collectors/interruption-reader.ts';
import { Interruptions } from '../exporter/collectors/interruptions.ts';
import { COUNTING_TIMES, WINDOWS } from '../exporter/gke/interruption-count.ts';
import { GoogleError } from '../exporter/google/google-error.ts';
import type { TimeSeriesList, TimeSeriesQuery } from '../exporter/google/monitoring.ts';
import type { Sample } from '../exporter/metrics/family.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
const POLL = MINUTE;
const { delay: DELAY } = COUNTING_TIMES;

/** How long Prometheus looks. Interruptions keep away from both ends by more than they can be late or counted late. */
export const LENGTH = 2.5 * HOUR;
export const QUIET = 40 * MINUTE;

/** A sample of Cloud Monitoring in which something happened. */
export interface Point {
  readonly kind: 'node' | 'node_pool';
  readonly name: string;
  readonly type: string;
  readonly reason: string;
  readonly endTime: number;
  readonly count: number;
  readonly visibleAt: number;
}

/** A time in which something is not there, `from` included and `to` not. */
export interface Outage {
  readonly from: number;
  readonly to: number;
}

export type Trouble = 'error' | 'partial' | 'repeated' | 'other order';

/** All that is drawn for one run. */
export interface Schedule {
  readonly start: number;
  readonly points: readonly Point[];
  /** When a node pool appears; those that are not named exist from the beginning. */
  readonly appears: Readonly<Record<string, number>>;
  readonly outages: readonly Outage[];
  readonly troubles: readonly { readonly at: number; readonly lasts: number; readonly what: Trouble }[];
  readonly phase: number;
  readonly scrape: { readonly interval: number; readonly phase: number };
  readonly retention: number;
}

/** One scrape, with what the exporter can know then: all points that were visible at its latest complete reading. */
interface Scrape {
  readonly at: number;
  readonly knownAt: number | undefined;
  /** The values of the series that the schedule is about. */
  readonly values: ReadonlyMap<string, number>;
}

/** An exporter process: what it knows ends with it. */
class ModelExporter {
  readonly #schedule: Schedule;
  readonly #values = new Map<string, Map<string, number>>();
  readonly #interruptions: Interruptions;
  readonly #reader: InterruptionReader;
  #now = 0;
  knownAt: number | undefined;
  nextPoll: number;

  constructor(schedule: Schedule, now: number) {
    this.#schedule = schedule;
    this.nextPoll = now;
    this.#interruptions = new Interruptions({
      times: COUNTING_TIMES,
      nodeRetention: schedule.retention,
      replace: (key, samples) =>
        this.#values.set(key, new Map(samples.map((sample) => [keyOf(sample), sample.value]))),
    });
    this.#reader = new InterruptionReader({
      projectId: 'p',
      selection: { location: 'l', clusterName: 'c' },
      times: COUNTING_TIMES,
      list: (query) => this.#list(query),
      sink: {
        points: (points, at) => void this.#interruptions.add(points, at),
        nodePools: (pools) => this.#interruptions.setNodePools('p', pools),
        invalid: (value) => {
          throw new Error(`the model sends nothing invalid: ${JSON.stringify(value)}`);
        },
      },
    });
  }

  async poll(now: number): Promise<void> {
    this.#now = now;
    try {
      await this.#reader.read(now);
      this.knownAt = now;
      this.nextPoll = now + POLL;
    } catch (error) {
      if (!(error instanceof GoogleError)) throw error;
      this.nextPoll = now + 10 * SECOND;
    }
    this.#interruptions.forget(now);
  }

  scrape(at: number, keys: readonly string[]): Scrape {
    this.#interruptions.render(at);
    const values = new Map<string, number>();
    for (const known of this.#values.values()) {
      for (const key of keys) {
        const value = known.get(key);
        if (value !== undefined) values.set(key, value);
      }
    }
    return { at, knownAt: this.knownAt, values };
  }

  #trouble(): Trouble | undefined {
    return this.#schedule.troubles.find(({ at, lasts }) => this.#now >= at && this.#now < at + lasts)?.what;
  }

  async #list({ filter, start, end }: TimeSeriesQuery): Promise<TimeSeriesList> {
    await Promise.resolve();
    const trouble = this.#trouble();
    if (trouble === 'error') throw new GoogleError('drawn', { reason: 'quota' });
    const kind = filter.includes('k8s_node_pool') ? 'node_pool' : 'node';
    const series = filter.includes('status') ? this.#pools() : this.#series(kind, start, end);
    const answer = { executionErrors: [] as string[], unreadable: [] };
    if (trouble === 'partial') return { ...answer, series: series.slice(1), executionErrors: ['drawn'] };
    if (trouble === 'repeated') return { ...answer, series: [...series, ...series] };
    if (trouble === 'other order') return { ...answer, series: series.toReversed() };
    return { ...answer, series };
  }

  /** One series for each point: as pages may split them. */
  #series(kind: Point['kind'], start: number, end: number): TimeSeriesList['series'] {
    return this.#schedule.points
      .filter((point) => point.kind === kind && point.visibleAt <= this.#now)
      .filter(({ endTime }) => endTime > start && endTime <= end)
      .map(({ name, type, reason, endTime, count }) => ({
        metricLabels: { interruption_type: type, interruption_reason: reason },
        resourceLabels: { ...CLUSTER, [kind === 'node' ? 'node_name' : 'node_pool_name']: name },
        points: [{ endTime, value: count }],
      }));
  }

  #pools(): TimeSeriesList['series'] {
    return POOLS.filter((name) => (this.#schedule.appears[name] ?? 0) <= this.#now).map((name) => ({
      metricLabels: { status: 'RUNNING' },
      resourceLabels: { ...CLUSTER, node_pool_name: name },
      points: [{ endTime: this.#now, value: 1 }],
    }));
  }
}

const CLUSTER = { project_id: 'p', location: 'l', cluster_name: 'c' };
const POOLS = ['a', 'b', 'new'];

function keyOf({ family, labels }: Sample): string {
  const { node = '', node_pool = '', interruption_type, interruption_reason, window = '' } = labels;
  return [family, node + node_pool, interruption_type, interruption_reason, window].join('|');
}

/** Lets an exporter live through a schedule, and gives every scrape that succeeded. */
export async function live(schedule: Schedule): Promise<Scrape[]> {
  const { start, outages, phase, scrape, points } = schedule;
  const counters = [...byCounter(points).keys()];
  const gauges = counters.flatMap((key) => Object.keys(WINDOWS).map((window) => gaugeOf(key, window)));
  const scrapes: Scrape[] = [];
  let exporter: ModelExporter | undefined;
  let nextScrape = start + scrape.phase;
  for (
    let now = start;
    now < start + LENGTH;
    now = Math.min(nextScrape, exporter?.nextPoll ?? Number.POSITIVE_INFINITY, nextEdge(outages, now))
  ) {
    if (isOut(outages, now)) exporter = undefined;
    else exporter ??= new ModelExporter(schedule, now === start ? now + phase : now);
    if (exporter !== undefined && now >= exporter.nextPoll) await exporter.poll(now);
    if (now < nextScrape) continue;
    nextScrape += scrape.interval;
    if (exporter !== undefined) scrapes.push(exporter.scrape(now, [...counters, ...gauges]));
  }
  return scrapes;
}

function isOut(outages: readonly Outage[], now: number): boolean {
  return outages.some(({ from, to }) => now >= from && now < to);
}

/** When the next outage begins, or this one ends. */
function nextEdge(outages: readonly Outage[], now: number): number {
  return Math.min(...outages.flatMap(({ from, to }) => [from, to]).filter((edge) => edge > now));
}

/** The reset-aware difference of the samples of a counter, as `increase()` computes it before it extrapolates. */
export function difference(seen: readonly number[]): number {
  let total = 0;
  for (const [index, value] of seen.entries()) {
    const before = seen[index - 1];
    if (before !== undefined) total += value >= before ? value - before : value;
  }
  return total;
}

export function seenOf(scrapes: readonly Scrape[], key: string): number[] {
  return scrapes.flatMap(({ values }) => values.get(key) ?? []);
}

export function sum(points: readonly Point[]): number {
  return points.reduce((total, { count }) => total + count, 0);
}

/** The points of one resource and cause, by the key of its counter. */
export function byCounter(points: readonly Point[]): Map<string, Point[]> {
  const groups = new Map<string, Point[]>();
  for (const point of points) {
    const { kind, name, type, reason } = point;
    const key = [`gke_${kind}_interruptions_total`, name, type, reason, ''].join('|');
    groups.set(key, [...(groups.get(key) ?? []), point]);
  }
  return groups;
}

function gaugeOf(counter: string, window: string): string {
  return counter.replace('interruptions_total', 'interruptions_in_window') + window;
}

/**
 * The gauges that are wrong: each must hold what was visible when the exporter last read everything; what became visible
 * since, it may.
 */
export function wrongGauges(schedule: Schedule, scrapes: readonly Scrape[]): string[] {
  const pools = [...byCounter(schedule.points.filter(({ kind }) => kind === 'node_pool'))];
  return scrapes.flatMap(({ at, knownAt = Number.NEGATIVE_INFINITY, values }) =>
    pools.flatMap(([key, points]) =>
      Object.entries(WINDOWS).flatMap(([window, length]) => {
        const gauge = values.get(gaugeOf(key, window));
        const from = at - DELAY - length;
        const inWindow = points.filter(({ endTime }) => endTime > from && endTime <= at - DELAY);
        const least = sum(inWindow.filter(({ visibleAt }) => visibleAt <= knownAt));
        const most = sum(inWindow);
        const isRight = gauge === undefined || (gauge >= least && gauge <= most);
        return isRight ? [] : [`${key} ${window} at ${at}: ${gauge}, not within ${least} and ${most}`];
      }),
    ),
  );
}
