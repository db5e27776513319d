import type { AlertCase } from './promtool.ts';
import { BRIDGED, between, cluster, DAY, firing, record } from './series.ts';

const SCHEDULED_AT_10 = { from: 10, until: 100 };

/** Maintenance that is still to come. */
export const COMING: readonly AlertCase[] = [
  {
    name: 'maintenance is scheduled for some day, and cancelled',
    minutes: 60,
    series: { ...cluster(), ...record(1, { from: 10, until: 40, start: 7 * DAY }) },
    fires: [firing('MaintenanceScheduled info', [10, 40 + BRIDGED])],
  },
  {
    name: 'scheduled maintenance comes within a day, and is moved',
    minutes: 60,
    series: {
      ...cluster(),
      ...record(1, { ...SCHEDULED_AT_10, start: (minute) => (minute < 40 ? DAY + 20 : 3 * DAY) }),
    },
    // At 20 it is 24 hours, not less.
    fires: [firing('MaintenanceSoon warning', [21, 40]), firing('MaintenanceScheduled info', [10, 60])],
  },
  {
    name: 'maintenance comes within an hour, and begins',
    minutes: 60,
    series: { ...cluster(), ...record(2, { ...SCHEDULED_AT_10, start: 90, begins: 50 }) },
    fires: [
      firing('MaintenanceImminent critical', [31, 50]),
      firing('MaintenanceScheduled info', [10, 50]),
      firing('MaintenanceSoon warning', [10, 50]),
      firing('MaintenanceOngoing info', [50, 60], { node: 'a4-2', node_pool: 'a4' }),
    ],
  },
  {
    name: 'more nodes than a phone can show come within an hour',
    minutes: 40,
    series: {
      ...cluster({ nodes: 22 }),
      ...Object.assign(
        {},
        ...Array.from({ length: 21 }, (_, index) => record(index + 1, { ...SCHEDULED_AT_10, start: 90 })),
      ),
    },
    fires: [
      firing('MaintenanceImminent critical', [31, 40]),
      firing('MaintenanceScheduled info', [10, 40]),
      firing('MaintenanceSoon warning', [10, 40]),
      firing('MajorityMaintenance warning', [10, 40]),
    ],
  },
  {
    name: 'the earliest of several sources counts, also where one does not know the node pool',
    minutes: 60,
    series: {
      ...cluster(),
      ...record(2, { from: 10, until: 40, start: 91, source: 'annotation' }),
      'gke_node_maintenance_window_start_timestamp_seconds{node="a4-2", node_pool="", source="metadata"}':
        between(10, 40, 90 * 60),
    },
    fires: [
      firing('MaintenanceImminent critical', [31, 40 + BRIDGED]),
      firing('MaintenanceScheduled info', [10, 40 + BRIDGED]),
      firing('MaintenanceSoon warning', [10, 40 + BRIDGED]),
    ],
  },
  {
    name: 'a whole slice comes within a day',
    minutes: 60,
    series: {
      ...cluster({ nodes: 2 }),
      ...record(1, { from: 10, until: 40, start: DAY }),
      ...record(2, { from: 20, until: 40, start: DAY }),
    },
    fires: [
      firing('WholePoolMaintenance warning', [20, 40 + BRIDGED]),
      firing('MaintenanceScheduled info', [10, 40 + BRIDGED]),
      firing('MaintenanceSoon warning', [10, 40 + BRIDGED]),
      firing('MajorityMaintenance warning', [20, 40 + BRIDGED]),
    ],
  },
  {
    name: 'a whole slice comes within an hour, and goes down node by node',
    minutes: 80,
    series: {
      ...cluster({ nodes: 2 }),
      ...record(1, { from: 10, until: 100, start: 75, begins: 60, canReschedule: 0 }),
      ...record(2, { from: 10, until: 100, start: 75, begins: 70, canReschedule: 0 }),
    },
    fires: [
      firing('WholePoolMaintenance critical', [16, 70]),
      firing('WholePoolMaintenance warning', [10, 70]),
      firing('MaintenanceScheduled info', [10, 70]),
      firing('MaintenanceSoon warning', [10, 70]),
      firing('MaintenanceImminent critical', [16, 70]),
      firing('MaintenanceCannotBeRescheduled info', [10, 70]),
      firing('MajorityMaintenance warning', [10, 60]),
      firing('MaintenanceOngoing info', [60, 80], { node: 'a4-1', node_pool: 'a4' }),
      firing('MaintenanceOngoing info', [70, 80], { node: 'a4-2', node_pool: 'a4' }),
      firing('WholePoolMaintenanceOngoing info', [70, 80]),
    ],
  },
  {
    name: 'a slice is under maintenance as a whole until its first node is over',
    minutes: 40,
    series: {
      ...cluster({ nodes: 2 }),
      ...record(1, { from: 2, until: 100, start: 2, begins: 2, down: [4, 20] }),
      ...record(2, { from: 2, until: 100, start: 2, begins: 2, down: [4, 30] }),
    },
    fires: [
      firing('WholePoolMaintenanceOngoing info', [2, 20]),
      firing('MaintenanceOngoing info', [2, 20], { node: 'a4-1', node_pool: 'a4' }),
      firing('MaintenanceOngoing info', [2, 30], { node: 'a4-2', node_pool: 'a4' }),
    ],
  },
  {
    name: 'all nodes of a pool without accelerators are no training job that stops as a whole',
    minutes: 30,
    series: {
      ...cluster({ nodes: 2, accelerator: '' }),
      ...record(1, { from: 10, until: 40, start: DAY }),
      ...record(2, { from: 10, until: 40, start: DAY }),
    },
    fires: [
      firing('MajorityMaintenance warning', [10, 30]),
      firing('MaintenanceScheduled info', [10, 30]),
      firing('MaintenanceSoon warning', [10, 30]),
    ],
  },
  {
    name: 'three of four nodes start on the same day of next week, two of them around midnight',
    minutes: 60,
    series: {
      ...cluster(),
      ...record(1, { from: 10, until: 50, start: 7 * DAY - 60 }),
      ...record(2, { from: 10, until: 50, start: 7 * DAY + 60 }),
      ...record(3, { from: 15, until: 40, start: 7 * DAY + 120 }),
    },
    fires: [
      firing('MajorityMaintenance warning', [15, 40 + BRIDGED]),
      firing('MaintenanceScheduled info', [10, 50 + BRIDGED]),
    ],
  },
  {
    name: 'three of four nodes on three days are spread well',
    minutes: 20,
    series: {
      ...cluster(),
      ...record(1, { from: 5, until: 50, start: 7 * DAY }),
      ...record(2, { from: 5, until: 50, start: 8.5 * DAY }),
      ...record(3, { from: 5, until: 50, start: 10 * DAY }),
    },
    fires: [firing('MaintenanceScheduled info', [5, 20])],
  },
  {
    name: 'maintenance within a day that cannot be started early',
    minutes: 60,
    series: {
      ...cluster(),
      ...record(1, { from: 10, until: 50, start: DAY + 20, canReschedule: 0 }),
      ...record(2, { from: 10, until: 50, start: DAY + 20, canReschedule: 1 }),
    },
    fires: [
      firing('MaintenanceCannotBeRescheduled info', [21, 50 + BRIDGED]),
      firing('MaintenanceSoon warning', [21, 50 + BRIDGED]),
      firing('MaintenanceScheduled info', [10, 50 + BRIDGED]),
    ],
  },
];
