import type { Family, FamilyType, Sample, Stability } from './family.ts';

/** Labels of every series of a node. */
const NODE = ['node', 'node_pool'] as const;

/** Labels of every series that counts interruptions. */
const INTERRUPTION = [
  'project_id',
  'location',
  'cluster_name',
  'interruption_type',
  'interruption_reason',
] as const;

function family<const Label extends string, const Type extends FamilyType>(
  type: Type,
  labels: readonly Label[],
  help: string,
  stability: Stability = 'stable',
): Family<Label, Type> {
  return { type, help, labels, stability };
}

function gauge<const Label extends string>(
  labels: readonly Label[],
  help: string,
  stability?: Stability,
): Family<Label, 'gauge'> {
  return family('gauge', labels, help, stability);
}

function counter<const Label extends string>(
  labels: readonly Label[],
  help: string,
): Family<Label, 'counter'> {
  return family('counter', labels, help);
}

/**
 * Every family about the cluster, in the order of the output. The help texts are also the documentation.
 */
export const catalogue = {
  gke_node_info: gauge(
    [
      ...NODE,
      'zone',
      'machine_type',
      'provisioning',
      'accelerator',
      'accelerator_count',
      'tpu_topology',
      'gke_version',
      'instance_id',
      'live_migration',
      'maintenance_notice',
    ],
    'Static properties of a node, always 1. live_migration tells whether Compute Engine moves the VM away before host maintenance (supported, unsupported, unknown); maintenance_notice whether GKE announces it on the node (supported, unsupported, unknown, or none where nothing needs to be announced).',
  ),
  gke_node_pool_nodes: gauge(
    ['node_pool'],
    'Number of nodes of a node pool that exist in the Kubernetes API.',
  ),
  gke_node_pool_nodes_ready: gauge(
    ['node_pool'],
    'Number of nodes of a node pool whose Ready condition is True.',
  ),
  gke_cluster_info: gauge(
    ['project_id', 'location', 'cluster_name'],
    'The cluster that the exporter is about, always 1. Absent while it is not known, and where the exporter reads several clusters.',
  ),
  gke_cluster_graceful_termination_enabled: gauge(
    [],
    'Whether GKE ends the pods of a node gracefully before host maintenance (1) or not (0), by the ConfigMap kube-system/gke-disruption-handling.',
  ),
  gke_node_maintenance_window_start_timestamp_seconds: gauge(
    [...NODE, 'source'],
    'Earliest instant at which host maintenance of the node may begin, in Unix seconds.',
  ),
  gke_node_maintenance_latest_window_start_timestamp_seconds: gauge(
    [...NODE, 'source'],
    'Latest instant to which the start of the maintenance window can be moved, in Unix seconds.',
  ),
  gke_node_maintenance_window_end_timestamp_seconds: gauge(
    [...NODE, 'source'],
    'End of the span in which host maintenance may begin, in Unix seconds. It is no deadline: a maintenance that began may run long past it.',
  ),
  gke_node_maintenance_can_reschedule: gauge(
    [...NODE, 'source'],
    'Whether the maintenance may be started early with the label cloud.google.com/perform-maintenance=true (1) or not (0).',
  ),
  gke_node_maintenance_status: gauge(
    [...NODE, 'source', 'status'],
    'Status of the maintenance window, 1 for the current one of PENDING, ONGOING and whatever else is sent, 0 for the others. ONGOING describes the window, not the work: it may last hours after the node is Ready again.',
  ),
  gke_node_maintenance_type: gauge(
    [...NODE, 'source', 'type'],
    'Scheduling state of the maintenance as sent (SCHEDULED, UNSCHEDULED, ...), always 1. The cause stands in gke_node_maintenance_reason.',
  ),
  gke_node_maintenance_reason: gauge(
    [...NODE, 'source', 'reason'],
    'Reason of the maintenance as sent, 1 for each of them.',
  ),
  gke_node_active_maintenance: gauge(
    [...NODE, 'state'],
    'State of a maintenance that has begun, always 1: ONGOING while workloads are stopped, terminating when the node is about to end, passthrough where graceful termination is off, or whatever else is sent.',
  ),
  gke_node_perform_maintenance_requested: gauge(
    NODE,
    'An operator asked for the maintenance now (label cloud.google.com/perform-maintenance=true) and GKE has not taken the request yet, always 1.',
  ),
  gke_node_maintenance_window_open: gauge(
    NODE,
    'The maintenance window of the node has opened (taint cloud.google.com/maintenance-window-started), always 1.',
    'experimental',
  ),
  gke_node_termination_impending: gauge(
    NODE,
    'The node is about to be terminated (taint cloud.google.com/impending-node-termination), always 1.',
  ),
  gke_node_opportunistic_maintenance_enabled: gauge(
    NODE,
    'Opportunistic maintenance is configured for the node, always 1.',
    'experimental',
  ),
  gke_node_opportunistic_maintenance_disabled: gauge(
    NODE,
    'Opportunistic maintenance is turned off for the node by the label cloud.google.com/opportunistic-disable, always 1.',
  ),
  gke_node_opportunistic_maintenance_triggered: gauge(
    NODE,
    'The maintenance of the node was started by opportunistic maintenance, always 1.',
    'experimental',
  ),
  gke_node_opportunistic_maintenance_idle_time_seconds: gauge(
    NODE,
    'How long a node must have been idle before opportunistic maintenance may start, in seconds.',
    'experimental',
  ),
  gke_node_opportunistic_maintenance_min_nodes: gauge(
    NODE,
    'How many nodes of the pool must remain when opportunistic maintenance starts.',
    'experimental',
  ),
  gke_node_opportunistic_maintenance_window_seconds: gauge(
    NODE,
    'How long before the planned start opportunistic maintenance may begin, in seconds.',
    'experimental',
  ),
  gke_disrupted_node_ready: gauge(
    NODE,
    'Whether a node that any maintenance series speaks of is Ready (1) or not (0, also when its state is Unknown).',
  ),
  gke_node_last_maintenance_event_timestamp_seconds: gauge(
    [...NODE, 'event'],
    'When GKE last wrote an Event about the maintenance of the node, in Unix seconds, by what it tells: scheduled, rescheduled, started, cancelled, cleared, terminating, requested, evicted. The API server keeps Events for an hour.',
  ),
  gke_node_host_maintenance_event: gauge(
    [...NODE, 'event'],
    'What the metadata server says in maintenance-event (MIGRATE_ON_HOST_MAINTENANCE, TERMINATE_ON_HOST_MAINTENANCE), always 1; absent for NONE. Only with --metadata.watch-maintenance-event.',
  ),
  gke_node_preempted: gauge(
    NODE,
    'Whether the metadata server says that the VM is being preempted (1) or not (0).',
  ),
  gke_node_scheduling_info: gauge(
    [...NODE, 'on_host_maintenance', 'preemptible', 'automatic_restart'],
    'How Compute Engine treats the VM, by the metadata server, always 1. on_host_maintenance: migrate, terminate; preemptible and automatic_restart: true, false.',
  ),
  gke_node_pool_interruptions_total: counter(
    [...INTERRUPTION, 'node_pool'],
    'Interruptions of a node pool by Cloud Monitoring. Restarts from 0 every 28 days; an interruption counts six minutes after it ended. 0 for every type and reason that is known, for every node pool that exists.',
  ),
  gke_node_interruptions_total: counter(
    [...INTERRUPTION, 'node'],
    'Interruptions of a node by Cloud Monitoring. Restarts from 0 every 28 days; an interruption counts six minutes after it ended. Only nodes interrupted within --monitoring.node-retention.',
  ),
  gke_node_last_interruption_timestamp_seconds: gauge(
    [...INTERRUPTION, 'node'],
    'End of the sample of Cloud Monitoring that holds the latest interruption of a node, in Unix seconds. As soon as it is read; only nodes interrupted within --monitoring.node-retention.',
  ),
  gke_node_pool_interruptions_in_window: gauge(
    [...INTERRUPTION, 'node_pool', 'window'],
    'Interruptions of a node pool in a trailing window (1h, 24h, 7d, 28d) that ends six minutes ago.',
  ),
} as const;

/** Families of the exporter's own telemetry, kept by prom-client and counted from the start of the process. */
export const telemetryCatalogue = {
  gke_disruption_exporter_build_info: gauge(
    ['version', 'revision', 'node_version'],
    'Version of the exporter, revision of its source and version of Node.js, always 1.',
  ),
  gke_disruption_collector_up: gauge(
    ['collector'],
    'Whether the latest attempt of a collector succeeded (1) or failed (0).',
  ),
  gke_disruption_collector_last_success_timestamp_seconds: gauge(
    ['collector'],
    'When a collector last heard from its source, in Unix seconds.',
  ),
  gke_disruption_collector_duration_seconds: gauge(
    ['collector'],
    'How long the latest full reading by a collector took, in seconds.',
  ),
  gke_disruption_collector_errors_total: counter(
    ['collector', 'reason'],
    'Failed attempts of a collector by reason.',
  ),
  gke_disruption_invalid_values_total: counter(
    ['source', 'field'],
    'Values that could not be read, each distinct value counted once. Their series are absent.',
  ),
  gke_disruption_kubernetes_relists_total: counter(
    ['resource', 'reason'],
    'Full lists of a Kubernetes resource, by what made them necessary.',
  ),
  gke_disruption_kubernetes_watch_restarts_total: counter(
    ['resource', 'reason'],
    'Watches of a Kubernetes resource that ended and were opened again, by how they ended.',
  ),
  gke_disruption_kubernetes_watch_events_total: counter(
    ['resource', 'type'],
    'Events received from watches of a Kubernetes resource by type.',
  ),
  gke_disruption_events_ignored_total: counter(
    ['reason'],
    'Events about maintenance that were ignored, because their node is gone.',
  ),
  gke_disruption_google_api_requests_total: counter(
    ['api', 'method', 'code'],
    'Requests to Google APIs by their gRPC status or HTTP code.',
  ),
  gke_disruption_google_api_request_duration_seconds: family(
    'histogram',
    ['api', 'method'],
    'How long requests to Google APIs took, in seconds.',
  ),
  gke_disruption_monitoring_time_series_read_total: counter(
    ['project_id'],
    'Time series returned by Cloud Monitoring: what reading costs.',
  ),
  gke_disruption_monitoring_partial_responses_total: counter(
    ['project_id'],
    'Answers of Cloud Monitoring that lacked some series, and were asked for again.',
  ),
  gke_disruption_scrape_duration_seconds: family(
    'histogram',
    ['format', 'encoding'],
    'How long it took to put together and compress an answer to a scrape, in seconds.',
  ),
  gke_disruption_scrape_size_bytes: gauge(
    ['format', 'encoding'],
    'Size of the latest answer to a scrape as sent, in bytes.',
  ),
} as const;

export type FamilyName = keyof typeof catalogue;
export type TelemetryName = keyof typeof telemetryCatalogue;

export type LabelsOf<F> = F extends Family<infer Label> ? Readonly<Record<Label, string>> : never;

/** Makes a sample of a family of the catalogue; the compiler holds the labels against the declaration. */
export function sample<Name extends FamilyName>(
  name: Name,
  labels: LabelsOf<(typeof catalogue)[Name]>,
  value: number,
): Sample {
  return { family: name, labels, value };
}
