import { kubernetesTime } from '../kubernetes/object.ts';
import type { ObjectStore } from '../kubernetes/object-store.ts';
import { EVENTS, type Node } from '../kubernetes/resource.ts';

/** Reasons of the Events that GKE 1.35 and later writes about a node's maintenance. Documented. */
type MaintenanceEventReason =
  | 'MaintenanceWindowScheduled'
  | 'MaintenanceWindowRescheduled'
  | 'MaintenanceWindowStarted'
  | 'MaintenanceWindowCancelled'
  | 'MaintenanceWindowCleared'
  | 'TerminateOnHostMaintenance'
  | 'CustomerTriggeredMaintenance'
  | 'PodEvictionComplete';

export interface MaintenanceEventDetails {
  readonly reason: MaintenanceEventReason;
  readonly message: string;
  readonly nodePool: string;
  /** Unix milliseconds; trailing events have none. */
  readonly windowStart?: number;
  readonly windowEnd?: number;
  readonly type?: string;
  readonly status?: string;
}

const COMPONENT = 'NodeTerminationHandler';
let serial = 0;

/** Writes an Event (core/v1) about a node, as GKE's node termination handler does. */
export function writeMaintenanceEvent(
  store: ObjectStore,
  node: Node,
  details: MaintenanceEventDetails,
): void {
  const now = kubernetesTime(Date.now());
  serial += 1;
  const { name } = node.metadata;
  store.create(EVENTS, {
    metadata: {
      name: `${name}.${(Date.now() * 1000 + (serial % 1000)).toString(16)}`,
      namespace: 'default',
      annotations: annotations(details),
    },
    involvedObject: { kind: 'Node', name, uid: node.metadata.uid, apiVersion: 'v1' },
    reason: details.reason,
    message: details.message,
    source: { component: COMPONENT, host: name },
    reportingComponent: COMPONENT,
    reportingInstance: name,
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
    type: 'Normal',
  });
}

function annotations(details: MaintenanceEventDetails): Record<string, string> {
  const { windowStart, windowEnd, type, status, nodePool } = details;
  return {
    ...(type === undefined ? {} : { 'maintenance.gke.io/type': type }),
    ...(status === undefined ? {} : { 'maintenance.gke.io/status': status }),
    ...(windowStart === undefined
      ? {}
      : { 'maintenance.gke.io/maintenance-start-time': kubernetesTime(windowStart) }),
    ...(windowEnd === undefined ? {} : { 'maintenance.gke.io/window-end-time': kubernetesTime(windowEnd) }),
    'maintenance.gke.io/nodepool-name': nodePool,
  };
}
