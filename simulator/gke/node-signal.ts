/** Keys by which GKE says on a Node what will happen to it. From GKE's documentation, where not marked as observed. */
export const SCHEDULED_MAINTENANCE_TIME = 'cloud.google.com/scheduled-maintenance-time';
export const ACTIVE_NODE_MAINTENANCE = 'cloud.google.com/active-node-maintenance';
export const PERFORM_MAINTENANCE = 'cloud.google.com/perform-maintenance';
/** Annotation; observed on GKE 1.35. */
export const UPCOMING_MAINTENANCE = 'node.gke.io/upcoming-maintenance';
export const IMPENDING_NODE_TERMINATION = 'cloud.google.com/impending-node-termination';
/** Taint; observed on GKE 1.35. */
export const MAINTENANCE_WINDOW_STARTED = 'cloud.google.com/maintenance-window-started';
export const NODE_POOL = 'cloud.google.com/gke-nodepool';
export const SPOT = 'cloud.google.com/gke-spot';
export const ZONE = 'topology.kubernetes.io/zone';
export const INSTANCE_ID = 'container.googleapis.com/instance_id';

/** Taints of Kubernetes' own node controller. */
export const NOT_READY = 'node.kubernetes.io/not-ready';
export const UNREACHABLE = 'node.kubernetes.io/unreachable';
export const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

/** Where the operator turns graceful termination on, which GKE reads when maintenance starts. */
export const DISRUPTION_HANDLING = { namespace: 'kube-system', name: 'gke-disruption-handling' } as const;
export const MAINTENANCE_EXPERIENCE = 'maintenance-experience.yaml';
