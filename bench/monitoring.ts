import { InterruptionReader } from '../exporter/collectors/interruption-reader.ts';
import { COUNTING_TIMES } from '../exporter/gke/interruption-count.ts';
import type { TimeSeriesList, TimeSeriesQuery } from '../exporter/google/monitoring.ts';
import type { TimeSeries } from '../exporter/google/time-series.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const NODES = 5000;
const POOLS = 20;
/** What Google documents as the most. */
const VISIBLE_AFTER = { node: 2 * MINUTE, node_pool: 2.5 * MINUTE } as const;
/** Dollars a time series after the first million a month. Google's price list of 2026. */
const PRICE = 0.5 / 1e6;
const FREE = 1e6;

type Kind = keyof typeof VISIBLE_AFTER;

interface Interruption {
  readonly endTime: number;
  readonly node: number;
}

/** What one day of reading takes. */
interface Reading {
  calls: number;
  series: number;
}

/** Interruptions spread evenly over a day, and over nodes. */
function interruptionsOf(perDay: number): Interruption[] {
  return Array.from({ length: perDay }, (_, index) => ({
    endTime: Math.ceil(((index + 0.5) * DAY) / perDay / MINUTE) * MINUTE,
    node: (index * 2_654_435) % NODES,
  }));
}

/** The series that have a visible point in the interval: each node, or node pool, is one. */
function seriesOf(
  all: readonly Interruption[],
  kind: Kind,
  interval: { start: number; end: number },
  now: number,
): Set<number> {
  const visible = all.filter(
    ({ endTime }) =>
      endTime > interval.start && endTime <= interval.end && endTime + VISIBLE_AFTER[kind] <= now,
  );
  return new Set(visible.map(({ node }) => (kind === 'node' ? node : node % POOLS)));
}

async function ours(all: readonly Interruption[]): Promise<Reading> {
  const reading = { calls: 0, series: 0 };
  let now = 0;
  const list = ({ filter, start, end }: TimeSeriesQuery): Promise<TimeSeriesList> => {
    const kind = filter.includes('"k8s_node_pool"') ? 'node_pool' : 'node';
    const found = filter.includes('/status') ? POOLS : seriesOf(all, kind, { start, end }, now).size;
    reading.calls += 1;
    reading.series += found;
    return Promise.resolve({ series: [] as TimeSeries[], executionErrors: [], unreadable: [] });
  };
  const reader = new InterruptionReader({
    projectId: 'p',
    selection: { location: 'l', clusterName: 'c' },
    times: COUNTING_TIMES,
    list,
    sink: { points: () => undefined, nodePools: () => undefined, invalid: () => undefined },
  });
  for (now = MINUTE; now <= DAY; now += MINUTE) await reader.read(now);
  return reading;
}

/**
 * By its documentation it asks at every scrape for the descriptors of each metric prefix (they are not cached by default),
 * and for each metric for the last five minutes.
 */
function stackdriverExporter(all: readonly Interruption[]): Reading {
  const reading = { calls: 0, series: 0 };
  for (let now = 30 * SECOND; now <= DAY; now += 30 * SECOND) {
    for (const kind of ['node', 'node_pool'] as const) {
      reading.calls += 2;
      reading.series += seriesOf(all, kind, { start: now - 5 * MINUTE, end: now }, now).size;
    }
  }
  return reading;
}

function row(name: string, { calls, series }: Reading): string {
  const dollars = Math.max(0, series * 30 - FREE) * PRICE;
  return `${name.padEnd(34)}${String(calls).padStart(12)}${String(series).padStart(14)}${dollars.toFixed(2).padStart(12)}`;
}

/** API calls and time series read a day, ours beside those of stackdriver_exporter. */
export async function measureMonitoring(): Promise<string> {
  const lines = [`Cloud Monitoring, ${POOLS} node pools      API calls a day   series a day   $ a month`];
  for (const perDay of [1, 100, 10_000]) {
    const all = interruptionsOf(perDay);
    lines.push(
      `${perDay} interruptions a day`,
      row('  this exporter, poll 60s', await ours(all)),
      row('  stackdriver_exporter, scrape 30s', stackdriverExporter(all)),
    );
  }
  return lines.join('\n');
}
