import type { AlertCase } from './promtool.ts';
import { BRIDGED, between, cluster, DAY, firing, record } from './series.ts';

/** Maintenance from the opening of its window until it is over. */
export const ONGOING: readonly AlertCase[] = [
  {
    name: 'a window opens and nothing begins until its end',
    minutes: 60,
    series: { ...cluster(), ...record(1, { from: 5, until: 100, start: 10, end: 40 }) },
    fires: [
      firing('MaintenanceWindowOpen warning', [10, 41]),
      firing('MaintenanceScheduled info', [5, 41]),
      firing('MaintenanceSoon warning', [5, 41]),
      firing('MaintenanceImminent critical', [5, 41]),
    ],
  },
  {
    name: 'a window opens for a node of which nothing else is known',
    minutes: 40,
    series: {
      ...cluster(),
      'gke_node_maintenance_window_open{node="a4-1", node_pool="a4"}': between(10, 25),
      'gke_disrupted_node_ready{node="a4-1", node_pool="a4"}': between(10, 25),
    },
    fires: [firing('MaintenanceWindowOpen warning', [10, 25 + BRIDGED])],
  },
  {
    name: 'a node is about to be terminated',
    minutes: 40,
    series: {
      ...cluster(),
      'gke_node_termination_impending{node="a4-1", node_pool="a4"}': between(10, 20),
      'gke_disrupted_node_ready{node="a4-1", node_pool="a4"}': between(10, 20),
    },
    fires: [firing('TerminationImpending warning', [10, 20 + BRIDGED])],
  },
  {
    name: 'a Spot node is about to be terminated, as Spot nodes are',
    minutes: 20,
    series: {
      ...cluster({ provisioning: 'spot' }),
      'gke_node_termination_impending{node="a4-1", node_pool="a4"}': between(10, 20),
    },
    fires: [],
  },
  {
    name: 'maintenance begins, takes the node down and is over, though the record stays for hours',
    minutes: 400,
    series: {
      ...cluster(),
      ...record(1, { from: 2, until: 400, start: 10, end: 90, begins: 10, down: [27, 80] }),
      'gke_node_maintenance_window_open{node="a4-1", node_pool="a4"}': between(11, 78),
      'gke_node_active_maintenance{node="a4-1", node_pool="a4", state="passthrough"}': between(10, 400),
    },
    fires: [
      firing('MaintenanceOngoing info', [10, 82], { node: 'a4-1', node_pool: 'a4' }),
      firing('MaintenanceScheduled info', [2, 10]),
      firing('MaintenanceSoon warning', [2, 10]),
      firing('MaintenanceImminent critical', [2, 10]),
    ],
  },
  {
    name: 'maintenance without a taint that takes the node down within the hour',
    minutes: 200,
    series: { ...cluster(), ...record(1, { from: 10, until: 200, start: 10, begins: 10, down: [30, 45] }) },
    fires: [firing('MaintenanceOngoing info', [10, 45], { node: 'a4-1', node_pool: 'a4' })],
  },
  {
    name: 'a node stays down beyond the end of its window',
    minutes: 120,
    series: {
      ...cluster(),
      ...record(1, { from: 10, until: 120, start: 10, end: 50, begins: 10, down: [20, 80] }),
    },
    fires: [
      firing('MaintenanceOverrun warning', [56, 80]),
      firing('MaintenanceOngoing info', [10, 80], { node: 'a4-1', node_pool: 'a4' }),
    ],
  },
  {
    name: 'two sources are two hours apart',
    minutes: 60,
    series: {
      ...cluster(),
      ...record(1, { from: 5, until: 40, start: 7 * DAY, source: 'label' }),
      ...record(1, { from: 10, until: 40, start: 7 * DAY + 120, source: 'compute' }),
    },
    fires: [
      firing('MaintenanceSourcesDisagree warning', [25, 40 + BRIDGED]),
      firing('MaintenanceScheduled info', [5, 40 + BRIDGED]),
    ],
  },
  {
    name: 'two sources are half an hour apart, or for ten minutes',
    minutes: 60,
    series: {
      ...cluster(),
      ...record(1, { from: 5, until: 50, start: 7 * DAY, source: 'label' }),
      ...record(1, {
        from: 5,
        until: 50,
        start: (minute) => 7 * DAY + (minute > 20 && minute < 30 ? 120 : 30),
        source: 'compute',
      }),
    },
    fires: [firing('MaintenanceScheduled info', [5, 50 + BRIDGED])],
  },
];
