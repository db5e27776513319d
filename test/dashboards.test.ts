import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dashboards } from '../dashboards/dashboards.ts';
import { interpolate, type Scope } from '../dashboards/interpolate.ts';
import { queryInterval } from '../dashboards/interval.ts';
import { type DashboardQuery, listQueries } from '../dashboards/queries.ts';
import { SCHEDULED_MAINTENANCE_TIME } from '../simulator/gke/node-signal.ts';
import { readScenario } from '../simulator/gke/scenario.ts';
import { EVENTS, NODES } from '../simulator/kubernetes/resource.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type ExporterProcess, ONLY_METADATA, startExporterProcess } from './exporter-process.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';

const SCENARIO = readScenario(fileURLToPath(new URL('../simulator/scenarios/day.yaml', import.meta.url)));
const DAY_MS = 86_400_000 / SCENARIO.speed;
/** Slower than the cluster: on a busy machine a poll may be a second late. */
const EXPORTER_SPEED = 180;
/** Of graphs, and what the range is rounded to. */
const STEP = 10_000;

/** The rules that users load, for a cluster whose hours are five seconds. */
const RULES = readFileSync(new URL('../alerts/generated/prometheus.rules.yml', import.meta.url), 'utf8')
  .replaceAll(/interval: [15]m/gu, 'interval: 250ms')
  .replaceAll('offset 1m', 'offset 250ms')
  .replaceAll(/\[(?:7|28)d:1h\]/gu, '[2m:1s]')
  .replaceAll('> time() - 900', '> time() - 15')
  .replaceAll('[1h] offset 15m', '[15s] offset 1s')
  .replaceAll('[1h]', '[15s]');

const QUERIES = [...dashboards()].flatMap(([dashboard, json]) =>
  listQueries(json).map((query) => ({ dashboard, query, name: `${dashboard}: ${nameOf(query)}` })),
);

function nameOf(query: DashboardQuery): string {
  return query.kind === 'panel'
    ? `${query.panelId} ${query.title} ${query.refId}`
    : `${query.kind} ${query.name}`;
}

/**
 * Panels of whole hours of the clock, which a day in two minutes has none of, and a node that is not Spot but preempted:
 * dashboards/answers.test.ts fills them.
 */
const ELSEWHERE = /Preemptions by hour of day|Life cycle G/u;

/** So many series a panel may draw. */
const FEW_HUNDRED = 300;

const ANSWER = v.object({
  status: v.literal('success'),
  data: v.object({
    result: v.array(
      v.object({
        metric: v.record(v.string(), v.string()),
        value: v.optional(v.tuple([v.number(), v.string()])),
        values: v.optional(v.array(v.tuple([v.number(), v.string()]))),
      }),
    ),
  }),
});

interface Answer {
  readonly labels: Readonly<Record<string, string>>;
  /** Of a graph, the sum of its bars. */
  readonly total: number;
}

describe('dashboards over a simulated day', () => {
  let simulator: Simulator;
  let prometheus: Prometheus;
  const exporters: ExporterProcess[] = [];
  let scope: Scope;

  /** Two replicas, and an exporter on the node of the node dashboard. */
  async function startExporters(name: string): Promise<void> {
    const polls = ['--monitoring.poll-interval=100ms', '--compute.poll-interval=1s'];
    const flags = [...simulator.exporterFlags, '--collector.compute', ...polls];
    const metadata = await simulator.virtualMachines.metadataServer(name);
    const env = { GCE_METADATA_HOST: metadata.host, NODE_NAME: name };
    exporters.push(
      await startExporterProcess(flags, { speed: EXPORTER_SPEED }),
      await startExporterProcess(flags, { speed: EXPORTER_SPEED }),
      await startExporterProcess([...ONLY_METADATA, '--metadata.watch-maintenance-event'], { env }),
    );
  }

  /** What no cluster does by itself, one thing after the other. */
  async function misbehave(victim: string): Promise<void> {
    const { cluster, faults, monitoring } = simulator;
    const label = (name: string, key: string, value: string): void => {
      cluster.update(NODES, name, ({ metadata }) => {
        metadata.labels = { ...metadata.labels, [key]: value };
      });
    };
    const [other = ''] = simulator.machines.nodesOf('general');
    label(victim, 'cloud.google.com/perform-maintenance', 'true');
    cluster.update(NODES, victim, ({ metadata }) => {
      metadata.annotations = {
        ...metadata.annotations,
        'node.gke.io/maintenance-state': 'opportunistic-triggered=true',
      };
    });
    label(other, SCHEDULED_MAINTENANCE_TIME, 'soon');
    cluster.put(EVENTS, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'late', namespace: 'default' },
      involvedObject: { kind: 'Node', name: 'gone', uid: crypto.randomUUID() },
      reason: 'MaintenanceWindowStarted',
      lastTimestamp: new Date().toISOString(),
    });
    faults.add({ match: { resource: 'nodes' }, times: 2, fault: { kind: 'error event', code: 410 } });
    monitoring.faults.add({ times: 20, fault: { kind: 'partial', series: 0 } });
    // Longer than a step, so that a graph cannot miss it.
    await delay(STEP + 2000);
    label(other, SCHEDULED_MAINTENANCE_TIME, 'sooner');
    label(victim, 'cloud.google.com/perform-maintenance', 'false');
    monitoring.faults.add({ times: 20, fault: { kind: 'status', code: 14, message: 'away' } });
  }

  beforeAll(async () => {
    simulator = await startSimulator({ scenario: SCENARIO, images: 0 });
    const node = simulator.machines.nodesOf('a4')[7] ?? '';
    await startExporters(node);
    const from = Math.floor(Date.now() / STEP) * STEP;
    prometheus = await startPrometheus(
      exporters.map(({ url }) => new URL(url).host),
      { interval: '250ms', rules: RULES },
    );
    const ends = Date.now() + DAY_MS;
    await delay(5000);
    await misbehave(node);
    await delay(ends - Date.now());
    // What happened last is counted two seconds later.
    await delay(3000);
    const to = Math.ceil(Date.now() / STEP) * STEP;
    await delay(to - Date.now());
    const pools = SCENARIO.pools.map(({ name }) => name);
    const all = { all: '.*' };
    const variables = { cluster: all, accelerator: all, cluster_name: all, job: all, instance: all };
    scope = {
      from,
      to,
      interval: STEP,
      scrapeInterval: 1000,
      variables: { ...variables, node_pool: pools, node_pool_name: pools, node, datasource: 'prometheus' },
    };
  }, 240_000);
  afterAll(async () => {
    await prometheus.stop();
    for (const exporter of exporters) await exporter.stop();
    await simulator.stop();
  });

  async function ask(query: DashboardQuery): Promise<readonly Answer[]> {
    const { from, to } = scope;
    const maxDataPoints = (query.kind === 'panel' ? query.maxDataPoints : undefined) ?? 1000;
    const interval = Math.max(STEP, queryInterval(to - from, { minimum: '1s', maxDataPoints }));
    const expr = interpolate(query.expr, { ...scope, interval });
    const url =
      query.kind === 'panel' && query.type === 'instant'
        ? `query?${new URLSearchParams({ query: expr, time: String(to / 1000) })}`
        : `query_range?${new URLSearchParams({ query: expr, start: String(from / 1000), end: String(to / 1000), step: String(interval / 1000) })}`;
    const body: unknown = await (await fetch(`${prometheus.url}/api/v1/${url}`)).json();
    const { data } = v.parse(ANSWER, body, { message: `${JSON.stringify(body).slice(0, 300)}: ${expr}` });
    return data.result.map(({ metric, value, values = [] }) => ({
      labels: metric,
      total: [...(value === undefined ? [] : [value]), ...values].reduce(
        (sum, [, each]) => sum + Number(each),
        0,
      ),
    }));
  }

  it.each(QUERIES.filter(({ name }) => !ELSEWHERE.test(name)))(
    '$name has an answer of few series',
    async ({ query }) => {
      const { length } = await ask(query);
      expect(length).toBeGreaterThan(0);
      expect(length).toBeLessThanOrEqual(FEW_HUNDRED);
    },
  );

  it.each(QUERIES.filter(({ name }) => ELSEWHERE.test(name)))('$name is valid', async ({ query }) => {
    expect(await ask(query)).toStrictEqual([]);
  });

  /** The truth: how many interruptions of the day there were, by something. */
  function happened(
    by: (one: Simulator['interruptions']['recorded'][number]) => string,
  ): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const one of simulator.interruptions.recorded) {
      if (one.endTime < scope.from) continue;
      counts[by(one)] = (counts[by(one)] ?? 0) + 1;
    }
    return counts;
  }

  const all = () => 'all';
  const type = ({ type: each }: { readonly type: string }) => each;
  const reason = ({ reason: each }: { readonly reason: string }) => each;
  const pool = ({ nodePool }: { readonly nodePool: string }) => nodePool;
  const node = ({ node: each }: { readonly node: string }) => each;

  it.each([
    ['overview', 6, '', all],
    ['overview', 9, 'interruption_type', type],
    ['overview', 10, 'interruption_reason', reason],
    ['overview', 11, 'node_pool', pool],
    ['interruptions', 1, '', all],
    ['interruptions', 6, 'interruption_type', type],
    ['interruptions', 7, 'interruption_reason', reason],
    ['interruptions', 8, 'node_pool', pool],
    ['interruptions', 14, 'node', node],
    ['google', 1, '', all],
    ['google', 3, 'interruption_reason', reason],
    ['google', 4, 'node_pool_name', pool],
    ['google', 5, '', all],
    ['google', 7, 'interruption_type', type],
  ] as const)('%s, panel %i counts by %s what happened', async (dashboard, panelId, label, by) => {
    const found = QUERIES.find(
      ({ dashboard: each, query }) =>
        each === dashboard && query.kind === 'panel' && query.panelId === panelId,
    );
    if (found === undefined) throw new Error('there is no such panel');
    const counts: Record<string, number> = {};
    for (const { labels, total } of await ask(found.query)) {
      const key = label === '' ? 'all' : (labels[label] ?? '');
      counts[key] = (counts[key] ?? 0) + total;
    }
    expect(happened(by)).not.toStrictEqual({});
    expect(counts).toStrictEqual(happened(by));
  });
});
