import { afterEach, beforeEach, expect, it } from 'vitest';
import { NODES } from '../kubernetes/resource.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { INSTANCE_ID } from './node-signal.ts';
import { parseScenario, type ScenarioInput } from './scenario.ts';

let simulator: Simulator;
const POOLS = [
  { name: 'spot', nodes: 3, provisioning: 'spot' },
  { name: 'general', nodes: 2 },
] as const satisfies ScenarioInput['pools'];

async function tell(events: NonNullable<ScenarioInput['events']>): Promise<void> {
  await simulator.stop();
  simulator = await startSimulator({
    scenario: parseScenario({ speed: 10_000, pools: [...POOLS], events }, 'test'),
  });
}

beforeEach(async () => {
  simulator = await startSimulator();
});
afterEach(async () => {
  await simulator.stop();
});

const node = (pool: string, index = 0) => {
  const name = simulator.machines.nodesOf(pool)[index] ?? '';
  return simulator.cluster.get(NODES, name);
};
const story = () => simulator.happenings.past.map(({ what }) => what);

it('a preempted Spot node comes back under its name, as another node on another VM', async () => {
  await tell([{ at: '10s', what: 'preemption', pool: 'spot', node: 1 }]);
  const before = node('spot', 1);
  await simulator.storyEnds;
  const after = node('spot', 1);
  expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
  expect(after?.metadata.annotations?.[INSTANCE_ID]).not.toBe(before?.metadata.annotations?.[INSTANCE_ID]);
  expect(story()).toEqual(['node preempted', 'node deleted', 'node created']);
  expect(simulator.happenings.past[0]?.interruption?.type).toBe('PreemptionEvent');
});

it('a host error is unannounced; the node recovers as the same node', async () => {
  await tell([{ at: '0', what: 'host error', pool: 'general' }]);
  const uid = node('general')?.metadata.uid;
  await simulator.storyEnds;
  expect(story()).toEqual(['host error', 'node unreachable', 'node ready']);
  expect(node('general')?.metadata.uid).toBe(uid);
});

it('a host error can cost the VM', async () => {
  await tell([{ at: '0', what: 'host error', pool: 'general', recreated: true }]);
  await simulator.storyEnds;
  expect(story()).toEqual(['host error', 'node unreachable', 'node deleted', 'node created']);
});

it('an upgrade replaces the nodes of a pool one after the other', async () => {
  await tell([{ at: '0', what: 'upgrade', pool: 'general', version: '1.36.0-gke.1000' }]);
  await simulator.storyEnds;
  const each = ['node upgrading', 'node deleted', 'node created', 'node upgraded'];
  expect(story()).toEqual([...each, ...each]);
  expect(node('general', 1)?.status.nodeInfo?.kubeletVersion).toBe('v1.36.0-gke.1000');
});

it('defragmentation moves a node', async () => {
  await tell([{ at: '0', what: 'defragmentation', pool: 'general' }]);
  await simulator.storyEnds;
  expect(story()).toEqual(['node defragmented', 'node deleted', 'node created']);
  expect(simulator.happenings.past[0]?.interruption).toEqual({
    type: 'TerminationEvent',
    reason: 'Defragmentation',
  });
});

it('the operator of a scenario cordons and uncordons', async () => {
  await tell([
    { at: '0', what: 'cordon', pool: 'general', nodes: 2 },
    { at: '1h', what: 'uncordon', pool: 'general' },
  ]);
  await simulator.storyEnds;
  expect(story()).toEqual(['node cordoned', 'node cordoned', 'node uncordoned']);
  expect([node('general', 0)?.spec.unschedulable, node('general', 1)?.spec.unschedulable]).toEqual([
    undefined,
    true,
  ]);
});

it('all that happens can be iterated over', async () => {
  // Late enough that it cannot happen before somebody listens: 10 s are a fraction of a millisecond here.
  await tell([{ at: '1h', what: 'preemption', pool: 'spot' }]);
  const seen: string[] = [];
  for await (const { what } of simulator.happenings) {
    seen.push(what);
    if (what === 'node created') break;
  }
  expect(seen).toEqual(['node preempted', 'node deleted', 'node created']);
});

it('heartbeats change nothing but their times', async () => {
  const beating = await startSimulator({
    scenario: parseScenario({ speed: 30_000, pools: [{ name: 'general', nodes: 1 }] }, 'test'),
    heartbeats: true,
  });
  const name = beating.machines.nodesOf('general')[0] ?? '';
  const before = beating.cluster.get(NODES, name);
  const { promise, resolve } = Promise.withResolvers<void>();
  const unwatch = beating.cluster.watch(NODES, () => resolve());
  await promise;
  unwatch();
  const after = beating.cluster.get(NODES, name);
  expect(after?.spec).toEqual(before?.spec);
  expect(after?.status.conditions?.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual(
    before?.status.conditions?.map(({ lastTransitionTime }) => lastTransitionTime),
  );
  await beating.stop();
});
