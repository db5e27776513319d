import { execFile } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { dashboards } from '../dashboards/dashboards.ts';
import { interpolate } from '../dashboards/interpolate.ts';
import { queryInterval } from '../dashboards/interval.ts';
import { type DashboardQuery, listQueries } from '../dashboards/queries.ts';
import { KNOWN_CAUSES } from '../exporter/gke/interruption.ts';
import { startPrometheus } from '../test/prometheus.ts';
import { requireTool } from '../test/tools.ts';

const run = promisify(execFile);

const NODES = 15_000;
const POOLS = 15;
/** Nodes with maintenance, and as many that were interrupted. */
const DISRUPTED = 300;
const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;
const CLUSTER = 'project_id="p",location="l",cluster_name="c"';
const SHOWN = 5;

interface Sampled {
  readonly series: string;
  readonly value: (at: number, index: number) => number;
  /** How many minutes back it goes; default: a day. */
  readonly minutes?: number;
}

/** What a day of a cluster of 15,000 nodes leaves in Prometheus: every minute, what the rules record of it. */
function* day(now: number): Generator<Sampled> {
  for (let index = 0; index < NODES; index += 1) {
    const pool = `pool-${index % POOLS}`;
    yield {
      series: `gke_node_info{node="n-${index}",node_pool="${pool}",zone="us-central1-b",machine_type="a4-highgpu-8g",provisioning="standard",accelerator="nvidia-b200",accelerator_count="8",tpu_topology="",gke_version="1.35.6-gke.1234000",instance_id="${index}",live_migration="unsupported",maintenance_notice="supported"}`,
      value: () => 1,
      minutes: 5,
    };
  }
  for (let index = 0; index < DISRUPTED; index += 1) yield* disruptedNode(index, now);
  for (let pool = 0; pool < POOLS; pool += 1) yield* nodePool(`pool-${pool}`);
}

function* disruptedNode(index: number, now: number): Generator<Sampled> {
  const labels = `node="n-${index}",node_pool="pool-${index % POOLS}"`;
  const start = now + index * MINUTE;
  const maintenance = 'node:gke_node_maintenance';
  yield { series: `${maintenance}_starts_in_seconds:min{${labels}}`, value: (at) => start - at };
  yield { series: `${maintenance}_window_start_timestamp_seconds:min{${labels}}`, value: () => start };
  yield {
    series: `${maintenance}_window_end_timestamp_seconds:max{${labels}}`,
    value: () => start + 4 * 3600,
  };
  yield { series: `${maintenance}_can_reschedule:min{${labels}}`, value: () => 1 };
  yield { series: `node:gke_disrupted_node_ready:min{${labels}}`, value: () => 1 };
  const cause = `${CLUSTER},interruption_type="TerminationEvent",interruption_reason="HostError"`;
  const hit = (_at: number, minute: number): number => (minute % 500 === index ? 1 : 0);
  yield { series: `node:gke_node_interruptions:difference{${cause},node="n-${index}"}`, value: hit };
  yield {
    series: `kubernetes_io:node_interruption_count{${cause},node_name="n-${index}",monitored_resource="k8s_node"}`,
    value: hit,
  };
}

function* nodePool(pool: string): Generator<Sampled> {
  const size = NODES / POOLS;
  yield { series: `gke_node_pool_nodes{node_pool="${pool}"}`, value: () => size };
  yield { series: `node_pool:gke_node_pool_nodes:max{node_pool="${pool}"}`, value: () => size };
  yield { series: `node_pool:gke_node_info_accelerator:group{node_pool="${pool}"}`, value: () => 1 };
  yield {
    series: `cluster_node_pool:gke_node_pool_nodes:max{${CLUSTER},node_pool="${pool}"}`,
    value: () => size,
  };
  for (const { type, reason } of KNOWN_CAUSES) {
    const cause = `${CLUSTER},interruption_type="${type}",interruption_reason="${reason}"`;
    const value = (_at: number, minute: number): number => (minute % 97 === 0 ? 1 : 0);
    yield { series: `node_pool:gke_node_pool_interruptions:difference{${cause},node_pool="${pool}"}`, value };
    yield {
      series: `kubernetes_io:node_pool_interruption_count{${cause},node_pool_name="${pool}",monitored_resource="k8s_node_pool"}`,
      value,
    };
  }
}

function* openMetrics(now: number): Generator<string> {
  for (const { series, value, minutes = DAY / MINUTE } of day(now)) {
    const lines: string[] = [];
    for (let minute = minutes; minute >= 0; minute -= 1) {
      const at = now - minute * MINUTE;
      lines.push(`${series} ${value(at, minute)} ${at}\n`);
    }
    yield lines.join('');
  }
  yield '# EOF\n';
}

/** The slowest queries of the dashboards over 24 hours of 15,000 nodes, each the fastest of three. */
export async function measureDashboards(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'dashboards-'));
  const now = Math.floor(Date.now() / 1000 / MINUTE) * MINUTE;
  const file = join(folder, 'day.om');
  await pipeline(Readable.from(openMetrics(now)), createWriteStream(file));
  const storage = join(folder, 'blocks');
  await run(requireTool('promtool'), ['tsdb', 'create-blocks-from', 'openmetrics', file, storage], {
    maxBuffer: 2 ** 26,
  });
  const prometheus = await startPrometheus([], { storage });
  const pools = Array.from({ length: POOLS }, (_, pool) => `pool-${pool}`);
  const timed: { readonly name: string; readonly seconds: number; readonly series: number }[] = [];
  for (const [dashboard, json] of dashboards()) {
    for (const query of listQueries(json)) {
      if (query.kind !== 'panel') continue;
      const name = `${dashboard} ${query.panelId} ${query.title} ${query.refId}`;
      timed.push({ name, ...(await time(prometheus.url, urlOf(query, now, pools))) });
    }
  }
  await prometheus.stop();
  rmSync(folder, { recursive: true });
  const slowest = timed.toSorted((one, other) => other.seconds - one.seconds).slice(0, SHOWN);
  const most = Math.max(...timed.map(({ series }) => series));
  const lines = slowest.map(({ name, seconds }) => `  ${seconds.toFixed(3)} s  ${name}`);
  return `Dashboards, ${NODES} nodes, 24 hours, ${timed.length} queries, at most ${most} series; the slowest:\n${lines.join('\n')}`;
}

function urlOf(
  query: DashboardQuery & { readonly kind: 'panel' },
  now: number,
  pools: readonly string[],
): string {
  const all = { all: '.*' };
  const interval = queryInterval(DAY * 1000, {
    minimum: query.minimumInterval,
    maxDataPoints: query.maxDataPoints ?? 1000,
  });
  const expr = interpolate(query.expr, {
    from: (now - DAY) * 1000,
    to: now * 1000,
    interval,
    scrapeInterval: 30_000,
    variables: {
      cluster: all,
      accelerator: all,
      cluster_name: all,
      job: all,
      instance: all,
      node_pool: pools,
      node_pool_name: pools,
      node: 'n-7',
    },
  });
  return query.type === 'instant'
    ? `query?${new URLSearchParams({ query: expr, time: String(now) })}`
    : `query_range?${new URLSearchParams({ query: expr, start: String(now - DAY), end: String(now), step: String(interval / 1000) })}`;
}

async function time(
  url: string,
  path: string,
): Promise<{ readonly seconds: number; readonly series: number }> {
  let seconds = Number.POSITIVE_INFINITY;
  let series = 0;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const start = performance.now();
    const answer = (await (await fetch(`${url}/api/v1/${path}`)).json()) as { data: { result: unknown[] } };
    seconds = Math.min(seconds, (performance.now() - start) / 1000);
    series = answer.data.result.length;
  }
  return { seconds, series };
}
