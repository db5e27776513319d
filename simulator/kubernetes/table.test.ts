import { expect, it } from 'vitest';
import { type KubernetesObject, kubernetesTime } from './object.ts';
import { EVENTS, NODES } from './resource.ts';
import { humanDuration, table } from './table.ts';

const OPTIONS = { apiVersion: 'meta.k8s.io/v1', includeObject: 'None' } as const;

function cells(resource: typeof NODES | typeof EVENTS, object: Record<string, unknown>): unknown {
  const metadata = {
    name: 'n',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: kubernetesTime(Date.now() - 5000),
  };
  const whole = {
    apiVersion: 'v1',
    kind: 'X',
    ...object,
    metadata: { ...metadata, ...(object.metadata ?? {}) },
  };
  const { rows } = table(resource, [whole as KubernetesObject], {}, OPTIONS) as {
    rows: { cells: unknown[] }[];
  };
  return rows[0]?.cells.slice(0, 5);
}

it.each([
  [-5, '0s'],
  [0, '0s'],
  [119, '119s'],
  [120, '2m'],
  [125, '2m5s'],
  [600, '10m'],
  [10_799, '179m'],
  [10_800, '3h'],
  [12_000, '3h20m'],
  [28_800, '8h'],
  [172_800, '2d'],
  [180_000, '2d2h'],
  [700_000, '8d'],
])('an age of %i s is shown as kubectl does: %s', (seconds, text) => {
  expect(humanDuration(seconds)).toBe(text);
});

it.each([
  [{}, 'Unknown'],
  [{ status: { conditions: [{ type: 'Ready', status: 'True' }] } }, 'Ready'],
  [
    { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] }, spec: { unschedulable: true } },
    'NotReady,SchedulingDisabled',
  ],
  [{ status: { conditions: 'hostile' }, spec: 5 }, 'Unknown'],
])('the status of the node %j is %s', (object, status) => {
  expect(cells(NODES, object)).toEqual(['n', status, '<none>', '5s', '']);
});

it('a node shows its roles, and no age if its time cannot be read', () => {
  const metadata = { creationTimestamp: 'yesterday', labels: { 'node-role.kubernetes.io/worker': '' } };
  expect(cells(NODES, { metadata })).toEqual(['n', 'Unknown', 'worker', '<unknown>', '']);
});

it('an event shows what happened to what', () => {
  const event = {
    type: 'Normal',
    reason: 'Because',
    message: 'it did',
    involvedObject: { kind: 'Node', name: 'x' },
  };
  expect(cells(EVENTS, event)).toEqual(['5s', 'Normal', 'Because', 'node/x', 'it did']);
});
