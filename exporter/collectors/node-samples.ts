import type { GkeNode } from '../gke/node.ts';
import { type FamilyName, sample } from '../metrics/catalogue.ts';
import type { Sample } from '../metrics/family.ts';
import { maintenanceSamples, type NodeLabels } from './maintenance-samples.ts';

/** Families whose only labels are those of the node. */
type NodeFamily = Extract<
  FamilyName,
  | 'gke_node_perform_maintenance_requested'
  | 'gke_node_maintenance_window_open'
  | 'gke_node_termination_impending'
  | `gke_node_opportunistic_maintenance_${string}`
>;

/** One row a family: its value for a node, undefined where there is nothing to say. */
const STATES: readonly (readonly [NodeFamily, (node: GkeNode) => number | undefined])[] = [
  ['gke_node_perform_maintenance_requested', (node) => oneIf(node.performMaintenanceRequested)],
  ['gke_node_maintenance_window_open', (node) => oneIf(node.maintenanceWindowOpen)],
  ['gke_node_termination_impending', (node) => oneIf(node.terminationImpending)],
  [
    'gke_node_opportunistic_maintenance_enabled',
    (node) => oneIf(node.opportunisticConfig !== undefined && !node.opportunisticDisabled),
  ],
  ['gke_node_opportunistic_maintenance_disabled', (node) => oneIf(node.opportunisticDisabled)],
  ['gke_node_opportunistic_maintenance_triggered', (node) => oneIf(node.opportunisticTriggered)],
  [
    'gke_node_opportunistic_maintenance_idle_time_seconds',
    (node) => node.opportunisticConfig?.idleTimeSeconds,
  ],
  ['gke_node_opportunistic_maintenance_min_nodes', (node) => node.opportunisticConfig?.minNodes],
  ['gke_node_opportunistic_maintenance_window_seconds', (node) => node.opportunisticConfig?.windowSeconds],
];

function oneIf(condition: boolean): 1 | undefined {
  return condition ? 1 : undefined;
}

/** Every series that one node has. */
export function nodeSamples(node: GkeNode): Sample[] {
  const labels = { node: node.name, node_pool: node.nodePool };
  const disruption = disruptionSamples(node, labels);
  if (disruption.length > 0) disruption.push(sample('gke_disrupted_node_ready', labels, Number(node.ready)));
  return [infoSample(node, labels), ...disruption];
}

function infoSample({ properties }: GkeNode, labels: NodeLabels): Sample {
  return sample(
    'gke_node_info',
    {
      ...labels,
      zone: properties.zone,
      machine_type: properties.machineType,
      provisioning: properties.provisioning,
      accelerator: properties.accelerator,
      accelerator_count: properties.acceleratorCount,
      tpu_topology: properties.tpuTopology,
      gke_version: properties.gkeVersion,
      instance_id: properties.instanceId,
      live_migration: properties.liveMigration,
      maintenance_notice: properties.maintenanceNotice,
    },
    1,
  );
}

function disruptionSamples(node: GkeNode, labels: NodeLabels): Sample[] {
  const samples: Sample[] = [];
  if (node.scheduledMaintenanceTime !== undefined) {
    samples.push(
      sample(
        'gke_node_maintenance_window_start_timestamp_seconds',
        { ...labels, source: 'label' },
        node.scheduledMaintenanceTime,
      ),
    );
  }
  if (node.maintenance !== undefined) {
    samples.push(...maintenanceSamples(labels, 'annotation', node.maintenance));
  }
  if (node.activeMaintenance !== undefined) {
    samples.push(sample('gke_node_active_maintenance', { ...labels, state: node.activeMaintenance }, 1));
  }
  for (const [family, valueFor] of STATES) {
    const value = valueFor(node);
    if (value !== undefined) samples.push(sample(family, labels, value));
  }
  return samples;
}
