import type { ControlPlane } from './control-plane.ts';
import { addTaint, becomeNotReady, becomeReady, becomeUnreachable } from './node-condition.ts';
import { UNSCHEDULABLE } from './node-signal.ts';
import { TIMING, within } from './timing.ts';

/**
 * Compute Engine takes a Spot VM away after its notice; the pool creates another under the same name.
 * Durations are milliseconds of GKE's time. Rejects when the clock stops, as all of these.
 */
export async function preempt(gke: ControlPlane, name: string, awayFor?: number): Promise<void> {
  if (gke.node(name) === undefined) return;
  gke.change(name, (node) => becomeNotReady(node, Date.now()));
  gke.tell(name, 'node preempted', 'The Spot VM ends in 30 seconds.', {
    type: 'PreemptionEvent',
    reason: 'Eviction',
  });
  await gke.clock.pass(TIMING.preemptionNotice);
  await replace(gke, name, { awayFor });
}

/** The host dies unannounced. Its VM starts again on another host, or a new VM takes its place. */
export async function hostError(
  gke: ControlPlane,
  name: string,
  {
    repairTakes = TIMING.hostErrorRepair,
    recreated = false,
  }: { repairTakes?: number | undefined; recreated?: boolean },
): Promise<void> {
  if (gke.node(name) === undefined) return;
  gke.tell(name, 'host error', 'The host has died; nothing announced it.', {
    type: 'TerminationEvent',
    reason: 'HostError',
  });
  const grace = Math.min(TIMING.monitorGrace, repairTakes);
  await gke.clock.pass(grace);
  gke.change(name, (node) => becomeUnreachable(node, Date.now()));
  gke.tell(name, 'node unreachable');
  await gke.clock.pass(repairTakes - grace);
  if (recreated) await replace(gke, name, { awayFor: 0 });
  else {
    gke.change(name, (node) => becomeReady(node, Date.now()));
    gke.tell(name, 'node ready');
  }
}

/** GKE upgrades the nodes of a pool one after the other. */
export async function upgrade(gke: ControlPlane, pool: string, version: string): Promise<void> {
  for (const name of gke.machines.nodesOf(pool)) {
    cordon(gke, name);
    gke.tell(name, 'node upgrading', `To ${version}.`, { type: 'TerminationEvent', reason: 'AutoUpgrade' });
    await gke.clock.pass(TIMING.drain);
    await replace(gke, name, { version });
    gke.tell(name, 'node upgraded', `To ${version}.`);
  }
}

/** Google moves a VM so that machines of one block become free together. */
export async function defragment(gke: ControlPlane, name: string): Promise<void> {
  cordon(gke, name);
  gke.tell(name, 'node defragmented', 'Its VM is created again elsewhere.', {
    type: 'TerminationEvent',
    reason: 'Defragmentation',
  });
  await gke.clock.pass(TIMING.drain);
  await replace(gke, name, {});
}

/** Marks a node as unschedulable, with the taint that the node controller adds. */
export function cordon(gke: ControlPlane, name: string): void {
  gke.change(name, (node) => {
    node.spec.unschedulable = true;
    addTaint(node, { key: UNSCHEDULABLE, effect: 'NoSchedule' });
  });
}

interface Replacement {
  readonly awayFor?: number | undefined;
  readonly version?: string;
}

async function replace(gke: ControlPlane, name: string, { awayFor, version }: Replacement): Promise<void> {
  gke.delete(name);
  gke.tell(name, 'node deleted');
  await gke.clock.pass(awayFor ?? within(TIMING.recreation, name));
  if (gke.machines.createNode(name, version) !== undefined)
    gke.tell(name, 'node created', 'Same name, another VM.');
}
