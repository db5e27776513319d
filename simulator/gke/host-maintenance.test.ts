import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, EVENTS, NODES, type Node } from '../kubernetes/resource.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { setLabel } from './control-plane.ts';
import type { What } from './happening.ts';
import { readyStatus } from './node-condition.ts';
import {
  ACTIVE_NODE_MAINTENANCE,
  DISRUPTION_HANDLING,
  IMPENDING_NODE_TERMINATION,
  MAINTENANCE_EXPERIENCE,
  MAINTENANCE_WINDOW_STARTED,
  NOT_READY,
  PERFORM_MAINTENANCE,
  SCHEDULED_MAINTENANCE_TIME,
  UNREACHABLE,
  UPCOMING_MAINTENANCE,
} from './node-signal.ts';
import { parseScenario } from './scenario.ts';

const HOUR = 3_600_000;
const scenario = parseScenario(
  {
    speed: 100_000,
    cluster: { name: 'test' },
    pools: [
      { name: 'a4', nodes: 2, machineType: 'a4-highgpu-8g', accelerator: { type: 'nvidia-b200', count: 8 } },
      {
        name: 'tpu',
        nodes: 4,
        machineType: 'ct6e-standard-4t',
        tpu: { accelerator: 'tpu-v6e-slice', topology: '4x4', multiHost: true },
      },
    ],
  },
  'test',
);

let simulator: Simulator;
let node: string;
/** The node as it was after each happening. */
let states: Map<What, Node>;

beforeEach(async () => {
  simulator = await startSimulator({ scenario });
  node = simulator.machines.nodesOf('a4')[0] ?? '';
  states = new Map();
  simulator.happenings.listen((happening) => {
    const state = simulator.cluster.get(NODES, happening.node);
    if (state !== undefined) states.set(happening.what, state);
  });
});
afterEach(async () => {
  await simulator.stop();
});

const stored = () => simulator.cluster.get(NODES, node);
const label = (key: string, value: string) =>
  simulator.cluster.update(NODES, node, (draft) => setLabel(draft, key, value));
const record = (state: Node | undefined) =>
  JSON.parse(state?.metadata.annotations?.[UPCOMING_MAINTENANCE] ?? 'null');
const taints = (what: What) => states.get(what)?.spec.taints?.map(({ key, effect }) => `${key}:${effect}`);
const story = () => simulator.happenings.past.filter((one) => one.node === node).map(({ what }) => what);
const GPU = 'nvidia.com/gpu:NoSchedule';

describe('maintenance at the request of the operator', () => {
  it('goes through its life in the observed order', async () => {
    const over = simulator.gke.maintain([node], {
      startsIn: 1e9 * HOUR,
      reasons: ['FAILURE_GPU_XID', 'FAILURE_GPU'],
    });
    label(PERFORM_MAINTENANCE, 'true');
    await over;
    expect(story()).toEqual([
      'maintenance scheduled',
      'maintenance requested',
      'maintenance started',
      'window taint set',
      'node down',
      'node unreachable',
      'node ready',
      'window taint removed',
      'maintenance cleared',
    ] satisfies What[]);
    expect(taints('maintenance started')).toEqual([GPU]);
    expect(taints('window taint set')).toEqual([GPU, `${MAINTENANCE_WINDOW_STARTED}:PreferNoSchedule`]);
    expect(taints('node down')).toContain(`${NOT_READY}:NoExecute`);
    expect(taints('node unreachable')).not.toContain(`${NOT_READY}:NoExecute`);
    expect(taints('node unreachable')).toContain(`${UNREACHABLE}:NoSchedule`);
    expect(taints('node ready')).toEqual([GPU, `${MAINTENANCE_WINDOW_STARTED}:PreferNoSchedule`]);
    expect(taints('window taint removed')).toEqual([GPU]);
    expect([...states.values()].map(readyStatus)).toEqual([
      'True',
      'True',
      'True',
      'True',
      'False',
      'Unknown',
      'True',
      'True',
      'True',
    ]);
    expect(states.get('window taint removed')?.metadata.labels).toMatchObject({
      [ACTIVE_NODE_MAINTENANCE]: 'passthrough',
    });
    expect(stored()?.metadata.labels).not.toHaveProperty([ACTIVE_NODE_MAINTENANCE]);
    expect(stored()?.metadata.annotations).not.toHaveProperty([UPCOMING_MAINTENANCE]);
  });

  it('anchors the window anew when it starts, and uses the request up', async () => {
    void simulator.gke
      .maintain([node], { startsIn: 1e9 * HOUR, reasons: ['FAILURE_GPU'] })
      .catch(() => undefined);
    const pending = stored();
    const announced = Number(pending?.metadata.labels?.[SCHEDULED_MAINTENANCE_TIME]) * 1000;
    expect(record(pending)).toEqual({
      can_reschedule: 'true',
      latest_window_start_time: text(announced + 1000),
      maintenance_reason: ['FAILURE_GPU'],
      maintenance_status: 'PENDING',
      start_time_window: { earliest: text(announced), latest: expect.any(String) },
      type: 'UNSCHEDULED',
      window_end_time: expect.any(String),
      window_start_time: text(announced),
    });
    label(PERFORM_MAINTENANCE, 'true');
    await simulator.happenings.until(({ what }) => what === 'maintenance started');
    const started = states.get('maintenance started');
    expect(started?.metadata.labels).not.toHaveProperty([SCHEDULED_MAINTENANCE_TIME]);
    expect(started?.metadata.labels).not.toHaveProperty([PERFORM_MAINTENANCE]);
    const ongoing = record(started);
    expect(ongoing).toMatchObject({
      can_reschedule: 'false',
      maintenance_status: 'ONGOING',
      type: 'SCHEDULED',
    });
    expect(Math.abs(Date.parse(ongoing.window_start_time) - Date.now())).toBeLessThan(2000);
  });

  it('is ignored when the record does not let the operator choose; the label stays', async () => {
    void simulator.gke
      .maintain([node], { startsIn: 1e9 * HOUR, canReschedule: false })
      .catch(() => undefined);
    label(PERFORM_MAINTENANCE, 'true');
    await simulator.happenings.until(({ what }) => what === 'request ignored');
    expect(stored()?.metadata.labels).toMatchObject({ [PERFORM_MAINTENANCE]: 'true' });
    expect(record(stored()).maintenance_status).toBe('PENDING');
  });

  it('is ignored when none is announced, and works when it is announced later', async () => {
    label(PERFORM_MAINTENANCE, 'true');
    await simulator.happenings.until(({ what }) => what === 'request ignored');
    await simulator.gke.maintain([node], { startsIn: 1e9 * HOUR });
    expect(story()).toContain('maintenance requested');
  });
});

it('maintenance begins by itself when its window does, not before', async () => {
  const before = Date.now();
  const over = simulator.gke.maintain([node], { startsIn: HOUR });
  const announced = Number(stored()?.metadata.labels?.[SCHEDULED_MAINTENANCE_TIME]) * 1000;
  expect(announced).toBeGreaterThanOrEqual(before);
  await over;
  const started = simulator.happenings.past.find(({ what }) => what === 'maintenance started');
  expect(started?.at).toBeGreaterThanOrEqual(announced);
  expect(story()).not.toContain('maintenance requested');
});

it('with graceful termination the node is first emptied, then says that it terminates', async () => {
  simulator.cluster.create(CONFIG_MAPS, {
    metadata: { ...DISRUPTION_HANDLING },
    data: { [MAINTENANCE_EXPERIENCE]: 'gracefulTermination: true\n' },
  });
  const over = simulator.gke.maintain([node], { startsIn: 1e9 * HOUR });
  label(PERFORM_MAINTENANCE, 'true');
  await over;
  expect(states.get('maintenance started')?.metadata.labels).toMatchObject({
    [ACTIVE_NODE_MAINTENANCE]: 'ONGOING',
  });
  expect(states.get('node terminating')?.metadata.labels).toMatchObject({
    [ACTIVE_NODE_MAINTENANCE]: 'terminating',
  });
  expect(taints('node terminating')).toContain(`${IMPENDING_NODE_TERMINATION}:NoSchedule`);
  expect(taints('node ready')).not.toContain(`${IMPENDING_NODE_TERMINATION}:NoSchedule`);
  expect(story().indexOf('node terminating')).toBe(story().indexOf('node down') - 1);
});

it('cancelled maintenance leaves nothing behind', async () => {
  const over = simulator.gke.maintain([node], { startsIn: 1e9 * HOUR });
  simulator.gke.cancelMaintenance([node]);
  await over;
  expect(story()).toEqual(['maintenance scheduled', 'maintenance cancelled']);
  expect(stored()?.metadata.labels).not.toHaveProperty([SCHEDULED_MAINTENANCE_TIME]);
});

it('a slice is maintained as one: the same schedule, and all nodes go down in the same moment', async () => {
  const slice = simulator.machines.nodesOf('tpu');
  await simulator.gke.happen({
    at: 0,
    what: 'maintenance',
    pool: 'tpu',
    node: undefined,
    nodes: undefined,
    startsIn: 1000,
    windowLasts: HOUR,
    reasons: ['PLANNED_UPDATE'],
    canReschedule: true,
    type: undefined,
    announcedBy: 'both',
    repairTakes: undefined,
    clearsAfter: undefined,
  });
  const whats = simulator.happenings.past.map(({ what }) => what);
  const down = whats.indexOf('node down');
  expect(whats.slice(down, down + 4)).toEqual(Array.from(slice, () => 'node down'));
  expect(simulator.happenings.past.slice(down, down + 4).map((one) => one.node)).toEqual(slice);
});

it('a request on one node of a slice starts the maintenance of all', async () => {
  const slice = simulator.machines.nodesOf('tpu');
  const over = simulator.gke.maintain(slice, { startsIn: 1e9 * HOUR });
  simulator.cluster.update(NODES, slice[2] ?? '', (draft) => setLabel(draft, PERFORM_MAINTENANCE, 'true'));
  await over;
  expect(simulator.happenings.past.filter(({ what }) => what === 'node down')).toHaveLength(4);
});

it('new maintenance of a node takes the place of what was announced before', async () => {
  const first = simulator.gke.maintain([node], { startsIn: 1e9 * HOUR });
  const second = simulator.gke.maintain([node], { startsIn: 1e9 * HOUR, announcedBy: 'label' });
  await first;
  expect(story()).toEqual(['maintenance scheduled', 'maintenance cancelled', 'maintenance scheduled']);
  expect(record(stored())).toBeNull();
  label(PERFORM_MAINTENANCE, 'true');
  await second;
  expect(story().at(-1)).toBe('maintenance cleared');
});

it('a node that is deleted takes its maintenance along', async () => {
  const over = simulator.gke.maintain([node], { startsIn: HOUR });
  simulator.cluster.delete(NODES, node);
  simulator.machines.createNode(node);
  await over;
  expect(story()).toEqual(['maintenance scheduled']);
  expect(stored()?.metadata.labels).not.toHaveProperty([ACTIVE_NODE_MAINTENANCE]);
});

it('Events tell of it, as from GKE 1.35', async () => {
  const over = simulator.gke.maintain([node], { startsIn: 1e9 * HOUR });
  label(PERFORM_MAINTENANCE, 'true');
  await over;
  const events = simulator.cluster.list(EVENTS);
  expect(events.map(({ reason }) => reason)).toEqual([
    'MaintenanceWindowScheduled',
    'CustomerTriggeredMaintenance',
    'MaintenanceWindowStarted',
    'TerminateOnHostMaintenance',
    'MaintenanceWindowCleared',
  ]);
  expect(events[0]).toMatchObject({
    source: { component: 'NodeTerminationHandler' },
    involvedObject: { kind: 'Node', name: node, uid: stored()?.metadata.uid },
    metadata: {
      annotations: { 'maintenance.gke.io/status': 'PENDING', 'maintenance.gke.io/nodepool-name': 'a4' },
    },
  });
});

function text(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', '+00:00');
}
