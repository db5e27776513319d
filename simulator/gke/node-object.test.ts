import { describe, expect, it } from 'vitest';
import { objectJson } from '../kubernetes/object-json.ts';
import { ObjectStore } from '../kubernetes/object-store.ts';
import { NODES, type Node } from '../kubernetes/resource.ts';
import { nodeName } from './node-object.ts';
import { parseScenario } from './scenario.ts';
import { SimulatedCluster } from './simulated-cluster.ts';

const scenario = parseScenario(
  {
    cluster: { name: 'test', project: 'p' },
    pools: [
      { name: 'a4', nodes: 20, machineType: 'a4-highgpu-8g', accelerator: { type: 'nvidia-b200', count: 8 } },
      {
        name: 'tpu',
        nodes: 4,
        machineType: 'ct6e-standard-4t',
        tpu: { accelerator: 'tpu-v6e-slice', topology: '4x4' },
      },
      {
        name: 'spot',
        nodes: 4,
        provisioning: 'spot',
        zones: ['us-central1-a', 'us-central1-b'],
        version: '1.34.1-gke.1',
      },
    ],
  },
  'test',
);
const store = new ObjectStore();
const machines = new SimulatedCluster(store, scenario);

function nodeOf(pool: string, index = 0): Node {
  const node = store.get(NODES, machines.nodesOf(pool)[index] ?? '');
  if (node === undefined) throw new Error('no such node');
  return node;
}

describe('a node', () => {
  it('with GPUs says so in labels, taint and capacity', () => {
    const { metadata, spec, status } = nodeOf('a4');
    expect(metadata.name).toMatch(/^gke-test-a4-[0-9a-f]{8}-[0-9a-z]{4}$/u);
    expect(metadata.labels).toMatchObject({
      'cloud.google.com/gke-nodepool': 'a4',
      'cloud.google.com/gke-accelerator': 'nvidia-b200',
      'cloud.google.com/gke-accelerator-count': '8',
      'cloud.google.com/gke-gpu': 'true',
      'cloud.google.com/machine-family': 'a4',
      'node.kubernetes.io/instance-type': 'a4-highgpu-8g',
      'topology.kubernetes.io/zone': 'us-central1-b',
    });
    expect(metadata.annotations?.['container.googleapis.com/instance_id']).toMatch(/^\d{19}$/u);
    expect(spec).toMatchObject({
      providerID: `gce://p/us-central1-b/${metadata.name}`,
      taints: [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }],
    });
    expect(status.capacity).toMatchObject({ 'nvidia.com/gpu': '8', cpu: '224' });
    expect(status.nodeInfo).toMatchObject({ kubeletVersion: 'v1.35.6-gke.1234000' });
  });

  it('with a TPU says so', () => {
    const { metadata, spec } = nodeOf('tpu');
    expect(metadata.labels).toMatchObject({
      'cloud.google.com/gke-tpu-accelerator': 'tpu-v6e-slice',
      'cloud.google.com/gke-tpu-topology': '4x4',
    });
    expect(spec.taints).toEqual([{ key: 'google.com/tpu', value: 'present', effect: 'NoSchedule' }]);
  });

  it('of a Spot pool says so; pools have their own zones and version', () => {
    expect(nodeOf('spot').metadata.labels).toMatchObject({
      'cloud.google.com/gke-provisioning': 'spot',
      'cloud.google.com/gke-spot': 'true',
    });
    expect([0, 1].map((index) => nodeOf('spot', index).metadata.labels?.['topology.gke.io/zone'])).toEqual([
      'us-central1-a',
      'us-central1-b',
    ]);
    expect(nodeOf('spot').status.nodeInfo).toMatchObject({ kubeletVersion: 'v1.34.1-gke.1' });
  });

  it('is 8 to 20 kB of JSON, most of it images, whose list all nodes share', () => {
    const node = nodeOf('a4');
    const text = objectJson(node);
    expect(text).toBe(JSON.stringify(node));
    expect(text.length).toBeGreaterThan(8000);
    expect(text.length).toBeLessThan(20_000);
    expect(node.status.images).toBe(nodeOf('spot').status.images);
    const changed = store.update(NODES, node.metadata.name, (draft) => {
      draft.spec.unschedulable = true;
    });
    expect(changed.status.images).toBe(node.status.images);
  });

  it('has a name of its own among 100,000 of a pool', () => {
    const [pool] = scenario.pools;
    if (pool === undefined) throw new Error('no pool');
    const names = Array.from({ length: 100_000 }, (_, index) => nodeName(scenario.cluster, pool, index));
    expect(new Set(names).size).toBe(100_000);
  });
});
