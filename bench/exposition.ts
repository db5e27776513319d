import { Gauge, Registry } from 'prom-client';
import { Bench } from 'tinybench';
import { nodeSamples } from '../exporter/collectors/node-samples.ts';
import { parseNode } from '../exporter/gke/node.ts';
import { catalogue, type FamilyName } from '../exporter/metrics/catalogue.ts';
import type { Sample } from '../exporter/metrics/family.ts';
import { Store } from '../exporter/metrics/store.ts';

const SIZES = [1000, 15_000, 65_000];

/** A GPU node with a maintenance record, as the API gives it. */
function nodeObject(index: number): unknown {
  const record = {
    can_reschedule: 'true',
    latest_window_start_time: '2026-12-01T19:00:01+00:00',
    maintenance_reason: ['FAILURE_GPU_XID', 'FAILURE_GPU'],
    maintenance_status: 'PENDING',
    type: 'SCHEDULED',
    window_end_time: '2026-12-01T21:00:01+00:00',
    window_start_time: '2026-12-01T19:00:01+00:00',
  };
  return {
    metadata: {
      name: `gke-training-a4-${index}`,
      uid: `uid-${index}`,
      labels: {
        'cloud.google.com/gke-nodepool': `a4-${index % 20}`,
        'cloud.google.com/gke-provisioning': 'standard',
        'cloud.google.com/gke-accelerator': 'nvidia-b200',
        'cloud.google.com/gke-accelerator-count': '8',
        'node.kubernetes.io/instance-type': 'a4-highgpu-8g',
        'topology.kubernetes.io/zone': 'us-central1-b',
      },
      annotations: {
        'container.googleapis.com/instance_id': String(4_000_000_000 + index),
        // One node in a hundred.
        ...(index % 100 === 0 ? { 'node.gke.io/upcoming-maintenance': JSON.stringify(record) } : {}),
      },
    },
    status: {
      conditions: [{ type: 'Ready', status: 'True' }],
      nodeInfo: { kubeletVersion: 'v1.35.6-gke.1234000' },
    },
  };
}

function storeOf(nodes: readonly (readonly Sample[])[]): Store {
  const store = new Store();
  const part = store.part();
  for (const [index, samples] of nodes.entries()) part.replace(`uid-${index}`, samples);
  return store;
}

function registryOf(nodes: readonly (readonly Sample[])[]): Registry {
  const registry = new Registry();
  const gauges = new Map<string, Gauge>();
  for (const { family, labels, value } of nodes.flat()) {
    const { help, labels: labelNames } = catalogue[family as FamilyName];
    const gauge = gauges.get(family) ?? new Gauge({ name: family, help, labelNames, registers: [registry] });
    gauges.set(family, gauge);
    gauge.set(labels, value);
  }
  return registry;
}

/** A scrape of our store after one node has changed, beside one of prom-client with the same series: medians and their ratio. */
export async function measureExposition(): Promise<string> {
  const lines = ['A scrape after one node has changed (median), beside prom-client with the same series:'];
  for (const size of SIZES) {
    const nodes = Array.from({ length: size }, (_, index) => nodeSamples(parseNode(nodeObject(index))));
    const store = storeOf(nodes);
    const part = store.part();
    const registry = registryOf(nodes);
    let change = 0;
    const bench = new Bench({ time: 2000, warmupTime: 200 });
    bench.add('store', () => {
      change += 1;
      part.replace('changed', nodeSamples(parseNode(nodeObject(1_000_000 + (change % 2)))));
      store.expose('text');
    });
    bench.add('prom-client', async () => {
      await registry.metrics();
    });
    await bench.run();
    lines.push(summary(size, nodes.flat().length, bench));
  }
  return lines.join('\n');
}

function summary(nodes: number, series: number, bench: Bench): string {
  const [ours = Number.NaN, theirs = Number.NaN] = bench.tasks.map(({ result }) =>
    result.state === 'completed' ? result.latency.p50 : Number.NaN,
  );
  return `  ${String(nodes).padStart(6)} nodes, ${String(series).padStart(6)} series: ${ours.toFixed(1)} ms, prom-client ${theirs.toFixed(1)} ms, ratio ${(theirs / ours).toFixed(0)}`;
}
