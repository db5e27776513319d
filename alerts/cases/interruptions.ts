import type { AlertCase, Series, Values } from './promtool.ts';
import { BRIDGED, between, cluster, constant, DAY, firing, record } from './series.ts';

const I = 'project_id="p", location="l", cluster_name="c"';

/** Interruptions of the pool in the trailing windows. */
function inWindows(
  windows: Readonly<Record<'1h' | '24h' | '7d', Values>>,
  type = 'TerminationEvent',
  reason = 'HostError',
  pool = 'a4',
): Series {
  return Object.fromEntries(
    Object.entries(windows).map(([window, values]) => [
      `gke_node_pool_interruptions_in_window{${I}, interruption_type="${type}", interruption_reason="${reason}", node_pool="${pool}", window="${window}"}`,
      values,
    ]),
  );
}

/** What Cloud Monitoring tells some minutes after an interruption. */
function lastInterruption(node: string, minute: number, cause: readonly [string, string], late = 3): Series {
  const [type, reason] = cause;
  return {
    [`gke_node_last_interruption_timestamp_seconds{${I}, interruption_type="${type}", interruption_reason="${reason}", node="${node}"}`]:
      between(minute + late, 100_000, minute * 60),
  };
}

const HOST_ERROR = ['TerminationEvent', 'HostError'] as const;
const PREEMPTION = ['PreemptionEvent', 'Eviction'] as const;

/** The same until a minute. */
function endingAt(end: number, series: Series): Series {
  return Object.fromEntries(
    Object.entries(series).map(([name, values]) => [
      name,
      (minute: number) => (minute < end ? values(minute) : undefined),
    ]),
  );
}

/** The series of a cluster by which its nodes are known, apart from those of its exporter. */
function nodesOf(series: Series): Series {
  return Object.fromEntries(
    Object.entries(series).filter(([name]) => /^gke_node_(?:info|pool_nodes)/u.test(name)),
  );
}

function interruptionsTotal(
  node: string,
  minutes: readonly number[],
  type = 'TerminationEvent',
  reason = 'AutoRepair',
): Series {
  return {
    [`gke_node_interruptions_total{${I}, interruption_type="${type}", interruption_reason="${reason}", node="${node}"}`]:
      (minute) => minutes.filter((each) => each <= minute).length,
  };
}

const IDENTITY = { project_id: 'p', location: 'l', cluster_name: 'c' };

/** Interruptions that somebody has to know of, and those that are as usual. */
export const INTERRUPTIONS: readonly AlertCase[] = [
  {
    name: 'a host error without any notice',
    minutes: 120,
    series: { ...cluster(), ...lastInterruption('a4-1', 30, HOST_ERROR) },
    // Told at 33; for 15 minutes after it, and an hour more.
    fires: [firing('InterruptionWithoutNotice warning', [33, 44 + 60])],
    atEdge: [44 + 60],
  },
  {
    name: 'a preemption of a node that is not Spot',
    minutes: 120,
    series: { ...cluster(), ...lastInterruption('a4-1', 30, PREEMPTION) },
    fires: [firing('InterruptionWithoutNotice warning', [33, 44 + 60])],
    atEdge: [44 + 60],
  },
  {
    name: 'a preemption of a Spot node, and a repair',
    minutes: 60,
    series: {
      ...cluster({ provisioning: 'spot' }),
      ...lastInterruption('a4-1', 30, PREEMPTION),
      ...lastInterruption('a4-2', 30, ['TerminationEvent', 'AutoRepair']),
    },
    fires: [],
  },
  {
    name: 'a host error of a node with a record that appeared half an hour before',
    minutes: 60,
    series: {
      ...cluster(),
      ...record(1, { from: 10, until: 35, start: 7 * DAY }),
      ...lastInterruption('a4-1', 40, HOST_ERROR),
    },
    fires: [firing('MaintenanceScheduled info', [10, 35 + BRIDGED])],
  },
  {
    name: 'a preemption of a node that is not Spot, told when its Node is gone',
    minutes: 120,
    series: {
      ...cluster(),
      ...endingAt(31, nodesOf(cluster({ nodes: 1 }))),
      'gke_node_pool_nodes{node_pool="a4"}': (minute) => (minute < 31 ? 4 : 3),
      ...lastInterruption('a4-1', 30, PREEMPTION, 8),
    },
    fires: [firing('InterruptionWithoutNotice warning', [38, 44 + 60])],
    atEdge: [44 + 60],
  },
  {
    name: 'a host error of a node with a record that appeared two minutes before',
    minutes: 60,
    series: {
      ...cluster(),
      ...record(1, { from: 28, until: 32, start: 7 * DAY }),
      ...lastInterruption('a4-1', 30, HOST_ERROR),
    },
    fires: [firing('MaintenanceScheduled info', [28, 32 + BRIDGED])],
  },
  {
    name: 'a host error two hours after a record has gone',
    minutes: 240,
    series: {
      ...cluster(),
      ...record(1, { from: 10, until: 20, start: 7 * DAY }),
      ...lastInterruption('a4-1', 135, HOST_ERROR),
    },
    fires: [
      firing('MaintenanceScheduled info', [10, 20 + BRIDGED]),
      firing('InterruptionWithoutNotice warning', [138, 149 + 60]),
    ],
    atEdge: [149 + 60],
  },
  {
    name: 'a host error whose record appears only afterwards',
    minutes: 60,
    series: {
      ...cluster(),
      ...lastInterruption('a4-1', 30, HOST_ERROR),
      ...record(1, { from: 40, until: 100, start: 7 * DAY }),
    },
    fires: [
      firing('InterruptionWithoutNotice warning', [33, 60]),
      firing('MaintenanceScheduled info', [40, 60]),
    ],
  },
  {
    name: 'a node is interrupted three times within a day',
    minutes: 60,
    series: {
      ...cluster(),
      ...interruptionsTotal('a4-1', [10, 20, 30]),
      ...interruptionsTotal('a4-2', [10, 20]),
      ...interruptionsTotal('a4-3', [10, 20, 30, 40], 'PreemptionEvent', 'Eviction'),
    },
    fires: [firing('NodeInterruptedRepeatedly warning', [30, 60], { ...IDENTITY, node: 'a4-1' })],
  },
  {
    name: 'a day after the first of three interruptions of a node there are two',
    minutes: 1500,
    untroubled: true,
    series: { ...cluster(), ...interruptionsTotal('a4-1', [10, 20, 30]) },
    fires: [firing('NodeInterruptedRepeatedly warning', [30, 10 + DAY], { ...IDENTITY, node: 'a4-1' })],
    atEdge: [10 + DAY],
  },
  {
    name: 'a storm of preemptions in a Spot pool',
    minutes: 120,
    series: {
      ...cluster({ pool: 'spot', nodes: 20, accelerator: '', provisioning: 'spot' }),
      ...inWindows(
        {
          '1h': (minute) => (minute < 20 || minute >= 80 ? 3 : 4),
          '24h': constant(4),
          '7d': constant(60),
        },
        'PreemptionEvent',
        'Eviction',
        'spot',
      ),
    },
    // Kept for 15 minutes, so that it does not flap about the threshold.
    fires: [firing('SpotPreemptionStorm warning', [20, 80 + 15], { ...IDENTITY, node_pool: 'spot' })],
  },
  {
    name: 'a storm of preemptions that leaves no node of the pool',
    minutes: 120,
    series: {
      ...cluster({ pool: 'spot', nodes: 4, accelerator: '', provisioning: 'spot' }),
      ...endingAt(10, nodesOf(cluster({ pool: 'spot', nodes: 4, accelerator: '', provisioning: 'spot' }))),
      ...inWindows(
        {
          '1h': between(16, 100_000, (minute) => (minute < 76 ? 4 : 0)),
          '24h': constant(4),
          '7d': constant(60),
        },
        ...PREEMPTION,
        'spot',
      ),
    },
    // The pool was last seen at 13, with what is bridged.
    fires: [firing('SpotPreemptionStorm warning', [16, 13 + 60 + 15], { ...IDENTITY, node_pool: 'spot' })],
    atEdge: [13 + 60 + 15],
  },
  {
    name: 'two preemptions in a Spot pool of four are no storm',
    minutes: 20,
    series: {
      ...cluster({ pool: 'spot', nodes: 4, accelerator: '', provisioning: 'spot' }),
      ...inWindows(
        { '1h': constant(2), '24h': constant(2), '7d': constant(9) },
        'PreemptionEvent',
        'Eviction',
        'spot',
      ),
    },
    fires: [],
  },
  {
    name: 'a pool is interrupted far more often than in the six days before',
    minutes: 60,
    series: {
      ...cluster(),
      // Six in six days are one a day.
      ...inWindows({
        '1h': constant(0),
        '24h': (minute) => (minute < 20 || minute >= 40 ? 4 : 5),
        '7d': constant(11),
      }),
    },
    fires: [firing('InterruptionRateHigh warning', [20, 40 + 15], { ...IDENTITY, node_pool: 'a4' })],
  },
  {
    name: 'a pool is interrupted as often as always, and upgraded',
    minutes: 20,
    series: {
      ...cluster(),
      ...inWindows({ '1h': constant(0), '24h': constant(6), '7d': constant(18) }),
      ...inWindows(
        { '1h': constant(0), '24h': constant(40), '7d': constant(40) },
        'TerminationEvent',
        'AutoUpgrade',
      ),
    },
    fires: [],
  },
];
