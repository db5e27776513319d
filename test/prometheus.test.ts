import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseScenario } from '../simulator/gke/scenario.ts';
import { NODES } from '../simulator/kubernetes/resource.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type ExporterProcess, startExporterProcess } from './exporter-process.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';
import { scrape } from './scrape.ts';

const SCENARIO = parseScenario(
  {
    cluster: { name: 'scraped', location: 'us-central1', project: 'example', version: '1.35.6-gke.1234000' },
    pools: [
      {
        name: 'a4',
        nodes: 3,
        machineType: 'a4-highgpu-8g',
        zones: ['us-central1-b'],
        accelerator: { type: 'nvidia-b200', count: 8 },
      },
      { name: 'general', nodes: 2, machineType: 'e2-standard-4', zones: ['us-central1-b'] },
    ],
  },
  'scraped',
);

describe('a real Prometheus that scrapes the exporter', () => {
  let simulator: Simulator;
  let exporter: ExporterProcess;
  let prometheus: Prometheus;

  beforeAll(async () => {
    simulator = await startSimulator({ scenario: SCENARIO, images: 0 });
    exporter = await startExporterProcess(simulator.exporterFlags);
    prometheus = await startPrometheus([new URL(exporter.url).host]);
    await prometheus.queryUntil('gke_node_info', (result) => result.length === 5);
  });
  afterAll(async () => {
    await prometheus.stop();
    await exporter.stop();
    await simulator.stop();
  });

  it('counts the nodes of each pool', async () => {
    const result = await prometheus.query('sort(gke_node_pool_nodes)');
    expect(result.map(({ labels, value }) => [labels.node_pool, value])).toEqual([
      ['general', 2],
      ['a4', 3],
    ]);
  });

  it('knows the nodes that no live migration saves', async () => {
    const result = await prometheus.query(
      'count by (node_pool) (gke_node_info{live_migration="unsupported",maintenance_notice="supported"})',
    );
    expect(result.map(({ labels, value }) => [labels.node_pool, value])).toEqual([['a4', 3]]);
  });

  it('sees maintenance begin and end', async () => {
    const [node] = simulator.cluster.list(NODES);
    const name = node?.metadata.name ?? '';
    const label = 'cloud.google.com/scheduled-maintenance-time';
    simulator.cluster.update(NODES, name, ({ metadata }) => {
      metadata.labels = { ...metadata.labels, [label]: '1796151601' };
    });
    const query =
      'gke_node_maintenance_window_start_timestamp_seconds * on (node) group_left (machine_type) gke_node_info';
    const [series] = await prometheus.queryUntil(query, (result) => result.length === 1);
    expect(series).toMatchObject({
      labels: { node: name, source: 'label', machine_type: 'a4-highgpu-8g' },
      value: 1_796_151_601,
    });
    simulator.cluster.update(NODES, name, ({ metadata }) => {
      metadata.labels = Object.fromEntries(
        Object.entries(metadata.labels ?? {}).filter(([key]) => key !== label),
      );
    });
    await prometheus.queryUntil(query, (result) => result.length === 0);
  });

  it('reads back a reason with every kind of letter', async () => {
    const [node] = simulator.cluster.list(NODES);
    const reason = 'quote " back\\slash two\nlines Wärme 🔥';
    simulator.cluster.update(NODES, node?.metadata.name ?? '', ({ metadata }) => {
      metadata.annotations = {
        ...metadata.annotations,
        'node.gke.io/upcoming-maintenance': JSON.stringify({ maintenance_reason: [reason] }),
      };
    });
    const [series] = await prometheus.queryUntil(
      'gke_node_maintenance_reason',
      (result) => result.length === 1,
    );
    expect(series?.labels.reason).toBe(reason);
  });

  it('takes every series of the output: none is refused, none is double', async () => {
    const [scraped] = await prometheus.query('scrape_samples_scraped');
    const [kept] = await prometheus.query('scrape_samples_post_metric_relabeling');
    const [up] = await prometheus.query('up');
    const lines = (await scrape(exporter.url))
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(up?.value).toBe(1);
    expect(kept?.value).toBe(scraped?.value);
    expect(new Set(lines.map((line) => line.slice(0, line.lastIndexOf(' ')))).size).toBe(lines.length);
  });

  it('asked for OpenMetrics, and got it compressed', async () => {
    const [size] = await prometheus.query(
      'gke_disruption_scrape_size_bytes{format="openmetrics",encoding="gzip"}',
    );
    expect(size?.value).toBeGreaterThan(0);
  });
});
