import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GkeNode, parseNode } from './node.ts';

const LABELS = {
  'cloud.google.com/gke-nodepool': 'training',
  'cloud.google.com/gke-provisioning': 'Standard',
  'cloud.google.com/gke-accelerator': 'nvidia-b200',
  'cloud.google.com/gke-accelerator-count': '8',
  'node.kubernetes.io/instance-type': 'a4-highgpu-8g',
  'topology.kubernetes.io/zone': 'us-central1-b',
};

interface Parts {
  readonly labels?: unknown;
  readonly annotations?: unknown;
  readonly spec?: unknown;
  readonly status?: unknown;
}

function nodeObject({ labels = LABELS, annotations, spec, status }: Parts = {}): unknown {
  return { metadata: { name: 'node-1', uid: 'uid-1', labels, annotations }, spec, status };
}

function parse(parts: Parts = {}): GkeNode {
  return parseNode(nodeObject(parts));
}

describe('parseNode', () => {
  it('reads what a GPU node is', () => {
    const node = parse({
      annotations: { 'container.googleapis.com/instance_id': '4711' },
      status: {
        conditions: [
          { type: 'MemoryPressure', status: 'False' },
          { type: 'Ready', status: 'True' },
        ],
        nodeInfo: { kubeletVersion: 'v1.35.6-gke.1234000' },
      },
    });
    expect(node).toEqual({
      uid: 'uid-1',
      name: 'node-1',
      nodePool: 'training',
      ready: true,
      properties: {
        zone: 'us-central1-b',
        machineType: 'a4-highgpu-8g',
        provisioning: 'standard',
        accelerator: 'nvidia-b200',
        acceleratorCount: '8',
        tpuTopology: '',
        gkeVersion: '1.35.6-gke.1234000',
        instanceId: '4711',
        liveMigration: 'unsupported',
        maintenanceNotice: 'supported',
      },
      scheduledMaintenanceTime: undefined,
      maintenance: undefined,
      activeMaintenance: undefined,
      performMaintenanceRequested: false,
      maintenanceWindowOpen: false,
      terminationImpending: false,
      opportunisticConfig: undefined,
      opportunisticDisabled: false,
      opportunisticTriggered: false,
      invalid: [],
    });
  });

  it.each<[string, Record<string, string>, Partial<GkeNode['properties']>]>([
    [
      'a TPU',
      { 'cloud.google.com/gke-tpu-accelerator': 'tpu-v6e-slice', 'cloud.google.com/gke-tpu-topology': '4x4' },
      { accelerator: 'tpu-v6e-slice', tpuTopology: '4x4', liveMigration: 'unsupported' },
    ],
    [
      'the label of older versions for the machine type',
      { 'beta.kubernetes.io/instance-type': 'e2-medium' },
      { machineType: 'e2-medium', liveMigration: 'supported', maintenanceNotice: 'none' },
    ],
    ["GKE's own label for the zone", { 'topology.gke.io/zone': 'us-central1-c' }, { zone: 'us-central1-c' }],
    [
      'provisioning in any spelling',
      { 'cloud.google.com/gke-provisioning': 'FLEX-START' },
      { provisioning: 'flex-start' },
    ],
    [
      'Spot before gke-provisioning',
      { 'cloud.google.com/gke-spot': 'true', 'cloud.google.com/gke-nodepool': 'p' },
      { provisioning: 'spot' },
    ],
    [
      'preemptible before gke-provisioning',
      { 'cloud.google.com/gke-preemptible': 'true' },
      { provisioning: 'preemptible' },
    ],
    [
      'standard before gke-provisioning',
      { 'cloud.google.com/gke-nodepool': 'p' },
      { provisioning: 'standard' },
    ],
    ['nothing of provisioning outside GKE', {}, { provisioning: '' }],
    [
      'a GPU known only by gke-gpu',
      { 'cloud.google.com/gke-gpu': 'true', 'node.kubernetes.io/instance-type': 'n1-standard-8' },
      { liveMigration: 'unsupported', accelerator: '' },
    ],
    [
      'a Confidential node',
      {
        'cloud.google.com/gke-confidential-nodes-instance-type': 'sev_snp',
        'node.kubernetes.io/instance-type': 'n2d-standard-2',
      },
      { liveMigration: 'unsupported' },
    ],
  ])('reads %s', (_, labels, expected) => {
    expect(parse({ labels }).properties).toMatchObject(expected);
  });

  it('reads the zone from the provider id when no label has it', () => {
    expect(
      parse({ labels: {}, spec: { providerID: 'gce://project/europe-west4-a/node-1' } }).properties.zone,
    ).toBe('europe-west4-a');
  });

  it.each([
    ['True', true],
    ['False', false],
    ['Unknown', false],
  ])('takes a Ready condition of %s for ready: %s', (status, ready) => {
    expect(parse({ status: { conditions: [{ type: 'Ready', status }] } }).ready).toBe(ready);
  });

  it.each<[string, Parts, Partial<GkeNode>]>([
    [
      'scheduled',
      { labels: { 'cloud.google.com/scheduled-maintenance-time': '1796151601' } },
      { scheduledMaintenanceTime: 1_796_151_601 },
    ],
    [
      'active, in any word',
      { labels: { 'cloud.google.com/active-node-maintenance': 'whatever' } },
      { activeMaintenance: 'whatever' },
    ],
    [
      'not active, by an empty label',
      { labels: { 'cloud.google.com/active-node-maintenance': '' } },
      { activeMaintenance: undefined },
    ],
    [
      'requested',
      { labels: { 'cloud.google.com/perform-maintenance': 'true' } },
      { performMaintenanceRequested: true },
    ],
    [
      'not requested, by another word',
      { labels: { 'cloud.google.com/perform-maintenance': 'false' } },
      { performMaintenanceRequested: false },
    ],
    [
      'window open',
      {
        spec: {
          taints: [{ key: 'cloud.google.com/maintenance-window-started', effect: 'PreferNoSchedule' }],
        },
      },
      { maintenanceWindowOpen: true },
    ],
    [
      'termination impending',
      {
        spec: {
          taints: [
            { key: 'nvidia.com/gpu' },
            { key: 'cloud.google.com/impending-node-termination', value: '' },
          ],
        },
      },
      { terminationImpending: true },
    ],
    [
      'opportunistic maintenance configured',
      { annotations: { 'node.gke.io/opportunistic-config': 'min-nodes=3' } },
      { opportunisticConfig: { idleTimeSeconds: undefined, minNodes: 3, windowSeconds: undefined } },
    ],
    [
      'opportunistic maintenance off',
      { labels: { 'cloud.google.com/opportunistic-disable': 'true' } },
      { opportunisticDisabled: true },
    ],
    [
      'opportunistic maintenance triggered',
      { annotations: { 'node.gke.io/maintenance-state': 'opportunistic-triggered=true' } },
      { opportunisticTriggered: true },
    ],
    [
      'a record',
      { annotations: { 'node.gke.io/upcoming-maintenance': '{"type":"SCHEDULED"}' } },
      {
        maintenance: {
          windowStart: undefined,
          latestWindowStart: undefined,
          windowEnd: undefined,
          canReschedule: undefined,
          status: undefined,
          type: 'SCHEDULED',
          reasons: [],
        },
      },
    ],
  ])('reads a node that is %s', (_, parts, expected) => {
    expect(parse(parts)).toMatchObject(expected);
  });

  it('reports every value that cannot be read, and reads the rest', () => {
    const node = parse({
      labels: { ...LABELS, 'cloud.google.com/scheduled-maintenance-time': 'soon' },
      annotations: {
        'node.gke.io/upcoming-maintenance': '[]',
        'node.gke.io/opportunistic-config': 'on',
        'node.gke.io/maintenance-state': 'opportunistic-triggered',
      },
    });
    expect(node.invalid).toEqual([
      { source: 'label', field: 'scheduled-maintenance-time', value: 'soon' },
      { source: 'annotation', field: 'upcoming-maintenance', value: '[]' },
      { source: 'annotation', field: 'opportunistic-config', value: 'on' },
      { source: 'annotation', field: 'maintenance-state', value: 'opportunistic-triggered' },
    ]);
    expect(node.properties.machineType).toBe('a4-highgpu-8g');
  });

  it('reports an empty scheduled time, which is there and says nothing', () => {
    expect(parse({ labels: { 'cloud.google.com/scheduled-maintenance-time': '' } }).invalid).toEqual([
      { source: 'label', field: 'scheduled-maintenance-time', value: '' },
    ]);
  });

  it.each<[string, Parts]>([
    ['without labels', { labels: undefined }],
    ['with null where lists could be', { labels: null, annotations: null, spec: null, status: null }],
    ['without status', { status: undefined }],
    ['with an empty status', { status: {} }],
    [
      'with 2,000 labels',
      { labels: Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`label-${i}`, 'x'])) },
    ],
  ])('reads a node %s', (_, parts) => {
    expect(parse(parts)).toMatchObject({ name: 'node-1', ready: false, invalid: [] });
  });

  it.each([
    ['null', null],
    ['text', 'node'],
    ['an object without metadata', {}],
    ['an object without name', { metadata: { uid: 'u' } }],
    ['an object with an empty uid', { metadata: { name: 'n', uid: '' } }],
    ['taints that are no list', { metadata: { name: 'n', uid: 'u' }, spec: { taints: 'x' } }],
  ])('throws for %s', (_, object) => {
    expect(() => parseNode(object)).toThrow(/Invalid/u);
  });

  it('reads any map of text as labels and annotations without throwing', () => {
    const keys = fc.constantFrom(
      'cloud.google.com/scheduled-maintenance-time',
      'cloud.google.com/active-node-maintenance',
      'node.gke.io/upcoming-maintenance',
      'node.gke.io/opportunistic-config',
      'node.gke.io/maintenance-state',
      '__proto__',
      'constructor',
    );
    const map = fc.dictionary(fc.oneof(keys, fc.string()), fc.oneof(fc.string(), fc.json(), fc.integer()));
    fc.assert(
      fc.property(map, map, (labels, annotations) => {
        expect(parse({ labels, annotations }).name).toBe('node-1');
      }),
    );
  });
});
