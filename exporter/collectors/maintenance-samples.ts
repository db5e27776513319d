import type { MaintenanceRecord } from '../gke/maintenance-record.ts';
import { sample } from '../metrics/catalogue.ts';
import type { Sample } from '../metrics/family.ts';

/** The labels of every series of a node. */
export interface NodeLabels {
  readonly node: string;
  readonly node_pool: string;
}

/** Where a maintenance record or time was found: the label `source`. */
export type MaintenanceSource = 'annotation' | 'compute' | 'label' | 'metadata';

/** The windows of maintenance that are told apart even when only one of them is current. */
const STATUSES = ['PENDING', 'ONGOING'] as const;

/** The series of a maintenance record; what was not sent has none. */
export function maintenanceSamples(
  nodeLabels: NodeLabels,
  source: MaintenanceSource,
  record: MaintenanceRecord,
): Sample[] {
  const labels = { ...nodeLabels, source };
  const samples: Sample[] = [];
  const { windowStart, latestWindowStart, windowEnd, canReschedule, status, type } = record;
  if (windowStart !== undefined) {
    samples.push(sample('gke_node_maintenance_window_start_timestamp_seconds', labels, windowStart));
  }
  if (latestWindowStart !== undefined) {
    samples.push(
      sample('gke_node_maintenance_latest_window_start_timestamp_seconds', labels, latestWindowStart),
    );
  }
  if (windowEnd !== undefined) {
    samples.push(sample('gke_node_maintenance_window_end_timestamp_seconds', labels, windowEnd));
  }
  if (canReschedule !== undefined) {
    samples.push(sample('gke_node_maintenance_can_reschedule', labels, Number(canReschedule)));
  }
  if (status !== undefined) {
    for (const each of new Set([...STATUSES, status])) {
      samples.push(
        sample('gke_node_maintenance_status', { ...labels, status: each }, Number(each === status)),
      );
    }
  }
  if (type !== undefined) samples.push(sample('gke_node_maintenance_type', { ...labels, type }, 1));
  for (const reason of record.reasons) {
    samples.push(sample('gke_node_maintenance_reason', { ...labels, reason }, 1));
  }
  return samples;
}
