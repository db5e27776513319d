import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseScenario } from '../simulator/gke/scenario.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type ExporterProcess, startExporterProcess } from './exporter-process.ts';
import { freePort } from './free-port.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';

/** A minute of the cloud is three seconds: samples, polls, scrapes and rules come every three seconds, the delay is 18. */
const SPEED = 20;
const MINUTE = '3s';
const HOUR = '3m';

const MAINTENANCE = { type: 'MaintenanceEvent', reason: 'HW/SW Maintenance' } as const;
const SCENARIO = parseScenario(
  {
    speed: SPEED,
    pools: [
      { name: 'spot', nodes: 6, provisioning: 'spot' },
      { name: 'gpu', nodes: 2, machineType: 'a4-highgpu-8g', accelerator: { type: 'nvidia-b200', count: 8 } },
    ],
    history: [
      { ago: '2h', pool: 'spot', type: 'PreemptionEvent', reason: 'Eviction' },
      { ago: '3d', pool: 'gpu', node: 1, type: 'TerminationEvent', reason: 'HostError' },
    ],
    events: [5, 6, 8, 11, 12, 12, 15, 17, 19].map((minute, index) => ({
      at: `${minute}m`,
      what: 'preemption',
      pool: 'spot',
      node: index % 6,
    })),
  },
  'test',
);

/** The rules that users load, with the minute and the hour of this test. */
const RULES = readFileSync(new URL('../alerts/generated/prometheus.rules.yml', import.meta.url), 'utf8')
  .replaceAll('interval: 1m', `interval: ${MINUTE}`)
  .replaceAll('offset 1m', `offset ${MINUTE}`)
  .replaceAll('[1h]', `[${HOUR}]`);

/** The reset-aware difference of samples: what `increase()` computes before it extrapolates. */
function difference(values: readonly number[]): number {
  return values.slice(1).reduce((total, value, index) => {
    const before = values[index] ?? 0;
    return total + (value >= before ? value - before : value);
  }, 0);
}

describe('interruptions in Prometheus, through a killed exporter and a second replica', () => {
  let simulator: Simulator;
  let prometheus: Prometheus;
  const exporters: ExporterProcess[] = [];
  let first = '';
  /** Interruptions of the story, and of them those by maintenance. */
  const happened = { all: 0, maintenance: 0 };

  async function start(port: number): Promise<ExporterProcess> {
    const flags = [...simulator.exporterFlags, `--monitoring.poll-interval=${MINUTE}`];
    const exporter = await startExporterProcess(flags, { port, speed: SPEED });
    exporters.push(exporter);
    return exporter;
  }

  async function value(expression: string): Promise<number> {
    const [result] = await prometheus.query(expression);
    return result?.value ?? Number.NaN;
  }

  beforeAll(async () => {
    simulator = await startSimulator({ scenario: SCENARIO });
    const ports = [await freePort(), await freePort()] as const;
    first = `127.0.0.1:${ports[0]}`;
    const targets = ports.map((port) => `127.0.0.1:${port}`);
    prometheus = await startPrometheus(targets, { interval: MINUTE, rules: RULES });
    const preempted: string[] = [];
    simulator.happenings.listen(({ what, node }) => {
      if (what !== 'node preempted') return;
      preempted.push(node);
      // Of every third, Google maintains a GPU node as well.
      if (preempted.length % 3 === 0)
        simulator.interruptions.record({ node: 'g', nodePool: 'gpu', ...MAINTENANCE });
    });
    const exporter = await start(ports[0]);
    await simulator.happenings.until(() => preempted.length === 3, 60_000);
    await exporter.stop('SIGKILL');
    await start(ports[0]);
    await simulator.happenings.until(() => preempted.length === 6, 60_000);
    await start(ports[1]);
    await simulator.storyEnds;
    happened.maintenance = 3;
    happened.all = preempted.length + happened.maintenance;
    // All is counted once the newest gauge of both replicas has it; what was in history is in the window of a week, too.
    await prometheus.queryUntil(
      `count(sum by (instance)(gke_node_pool_interruptions_in_window{window="1h"}) == ${happened.all})`,
      ([result]) => result?.value === targets.length,
    );
    await prometheus.queryUntil(
      'sum(sum_over_time(kubernetes_io:node_pool_interruption_count[5m]))',
      ([result]) => result !== undefined && result.value >= happened.all,
    );
  }, 180_000);
  afterAll(async () => {
    await prometheus.stop();
    for (const exporter of exporters) await exporter.stop();
    await simulator.stop();
  });

  it('happened', () => {
    expect(happened).toEqual({ all: 12, maintenance: 3 });
  });

  it.each(['gke_node_pool_interruptions_total', 'gke_node_interruptions_total'])(
    'the reset-aware difference of %s is exact',
    async (counter) => {
      const series = await prometheus.samples(`${counter}{instance="${first}"}[5m]`);
      const total = series.reduce((sum, { values }) => sum + difference(values), 0);
      expect(total).toBe(happened.all);
    },
  );

  it.each([
    [
      'sum by (interruption_type,interruption_reason)(sum_over_time(kubernetes_io:node_interruption_count{monitored_resource="k8s_node"}[5m]))',
      { Eviction: 9, 'HW/SW Maintenance': 3 },
    ],
    [
      'sum by (interruption_type,interruption_reason)(sum_over_time(kubernetes_io:node_interruption_count{monitored_resource="k8s_node", interruption_reason="HW/SW Maintenance"}[5m]))',
      { 'HW/SW Maintenance': 3 },
    ],
    [
      'sum by (node_pool_name,interruption_type,interruption_reason)(sum_over_time(kubernetes_io:node_pool_interruption_count{monitored_resource="k8s_node_pool", interruption_reason="HW/SW Maintenance", node_pool_name="gpu"}[5m]))',
      { 'HW/SW Maintenance': 3 },
    ],
  ])('the documented query %s is exact', async (query, counts) => {
    const results = (await prometheus.query(query)).filter((result) => result.value > 0);
    expect(
      Object.fromEntries(results.map((result) => [result.labels.interruption_reason, result.value])),
    ).toEqual(counts);
  });

  it.each([
    ['1h', 12],
    ['24h', 13],
    ['7d', 14],
    ['28d', 14],
  ])('both replicas say the same, exactly, of the last %s', async (window, count) => {
    const gauges = await prometheus.query(
      `sum by (instance)(gke_node_pool_interruptions_in_window{window="${window}"})`,
    );
    expect(gauges.map((gauge) => gauge.value)).toEqual([count, count]);
  });

  it('increase() is right within its extrapolation', async () => {
    const increase = await value(`sum(increase(gke_node_pool_interruptions_total{instance="${first}"}[2m]))`);
    expect(increase).toBeGreaterThanOrEqual(happened.all);
    expect(increase).toBeLessThan(happened.all * 2);
  });
});
