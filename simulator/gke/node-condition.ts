import { kubernetesTime } from '../kubernetes/object.ts';
import type { Node, NodeCondition, Taint } from '../kubernetes/resource.ts';
import { readyConditions } from './node-object.ts';
import { NOT_READY, UNREACHABLE } from './node-signal.ts';

/** Adds a taint, unless the node has it. */
export function addTaint(node: Node, taint: Taint): void {
  const taints = node.spec.taints ?? [];
  if (taints.some(({ key, effect }) => key === taint.key && effect === taint.effect)) return;
  node.spec.taints = [...taints, taint];
}

/** Removes all taints of a key. */
export function removeTaint(node: Node, key: string): void {
  const left = (node.spec.taints ?? []).filter((taint) => taint.key !== key);
  const { taints: _taints, ...spec } = node.spec;
  node.spec = left.length > 0 ? { ...spec, taints: left } : spec;
}

export function isReady(node: Node): boolean {
  return readyStatus(node) === 'True';
}

/** Status of the Ready condition. */
export function readyStatus(node: Node): NodeCondition['status'] | undefined {
  return node.status.conditions?.find(({ type }) => type === 'Ready')?.status;
}

/** The kubelet says that it is not ready, as at the shutdown of a machine; the taints of the node controller follow. */
export function becomeNotReady(node: Node, now: number): void {
  setCondition(node, now, 'Ready', {
    status: 'False',
    reason: 'KubeletNotReady',
    message: 'node is shutting down',
  });
  removeTaint(node, UNREACHABLE);
  taintBoth(node, NOT_READY, now);
}

/** The kubelet says nothing any more, as the node controller then writes it. */
export function becomeUnreachable(node: Node, now: number): void {
  const unknown = {
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
  } as const;
  for (const type of ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'])
    setCondition(node, now, type, unknown);
  removeTaint(node, NOT_READY);
  taintBoth(node, UNREACHABLE, now);
}

/** The kubelet is back. */
export function becomeReady(node: Node, now: number): void {
  for (const { type, status, reason, message } of readyConditions(now)) {
    setCondition(node, now, type, { status, reason, message });
  }
  removeTaint(node, NOT_READY);
  removeTaint(node, UNREACHABLE);
}

/** What the kubelet does every few minutes though nothing has changed. */
export function beat(node: Node, now: number): void {
  for (const condition of node.status.conditions ?? []) condition.lastHeartbeatTime = kubernetesTime(now);
}

function taintBoth(node: Node, key: string, now: number): void {
  addTaint(node, { key, effect: 'NoSchedule', timeAdded: kubernetesTime(now) });
  addTaint(node, { key, effect: 'NoExecute', timeAdded: kubernetesTime(now) });
}

function setCondition(
  node: Node,
  now: number,
  type: string,
  state: Pick<NodeCondition, 'status' | 'reason' | 'message'>,
): void {
  const conditions = node.status.conditions ?? [];
  const time = kubernetesTime(now);
  const current = conditions.find((condition) => condition.type === type);
  const next: NodeCondition = {
    type,
    lastHeartbeatTime: time,
    lastTransitionTime: current?.status === state.status ? current.lastTransitionTime : time,
    ...state,
  };
  node.status.conditions =
    current === undefined
      ? [...conditions, next]
      : conditions.map((condition) => (condition === current ? next : condition));
}
