import { NODE_POOL } from '../alerts/rules/maintenance.ts';
import { bars, lines } from './graphs.ts';
import type { Section } from './layout.ts';
import { field, poolLink } from './links.ts';
import type { UnplacedPanel } from './panel.ts';
import { INTERRUPTION, inner, poolInterruptions, pools } from './series.ts';
import { table } from './table.ts';

/** Mean time between interruptions, where it goes, and what becomes of the expensive pools. */
export function pace(): Section {
  return {
    id: 102,
    title: 'How often',
    lines: [
      {
        height: 9,
        panels: [
          [12, trend()],
          [12, meanTimes()],
        ],
      },
      {
        height: 9,
        panels: [
          [12, acceleratorBars()],
          [12, accelerators()],
        ],
      },
    ],
  };
}

function trend(): UnplacedPanel {
  return lines(
    {
      id: 10,
      title: 'Node hours per interruption, trend',
      description:
        'Mean time between interruptions of one node: hours of all nodes of the pool in the 7 days before, divided by its interruptions in them. Higher is better. The 20 pools that are worst now or were at some time.',
      unit: 'h',
      decimals: 0,
      noValue: 'No interruption within 7 days, so there is no mean',
    },
    { expr: `bottomk(20, ${pools(INTERRUPTION.hours7d)})`, legend: '{{node_pool}} {{cluster}}' },
  );
}

function meanTimes(): UnplacedPanel {
  const hours = { unit: 'h', decimals: 0 } as const;
  return table(
    {
      id: 11,
      title: 'Node hours per interruption',
      description:
        'Mean time between interruptions of one node in the last 7 and 28 days, and how the first compares with the second: below 100 % it became worse. Pools without interruptions have no mean.',
      unit: 'short',
      noValue: 'No interruption within 28 days, so there is no mean',
    },
    {
      labels: [
        { label: 'node_pool', title: 'Node pool', links: [poolLink(field('node_pool'))] },
        { label: 'cluster', title: 'Cluster' },
      ],
      values: [
        { refId: 'A', title: '7 days', expr: worst(INTERRUPTION.hours7d), ...hours },
        { refId: 'B', title: '28 days', expr: worst(INTERRUPTION.hours28d), ...hours },
        {
          refId: 'C',
          title: 'Trend',
          expr: `${worst(INTERRUPTION.hours7d)}\n/\n${worst(INTERRUPTION.hours28d)}`,
          unit: 'percentunit',
          decimals: 0,
          thresholds: [
            [null, 'red'],
            [0.7, 'orange'],
            [1, 'green'],
          ],
        },
        {
          refId: 'D',
          title: 'Nodes',
          expr: `${pools(NODE_POOL.nodes)}\nand on (cluster, node_pool)\n${pools(INTERRUPTION.hours28d)}`,
        },
      ],
      order: ['Node pool', 'Cluster', 'Nodes', '7 days', '28 days', 'Trend'],
      sortBy: { title: '7 days', descending: false },
    },
  );
}

function worst(recording: string): string {
  return `min by (cluster, node_pool) (${pools(recording)})`;
}

function acceleratorBars(): UnplacedPanel {
  return bars(
    {
      id: 12,
      title: 'GPU and TPU pools',
      description: 'Interruptions in each bar of node pools that have accelerators, by node pool.',
      unit: 'short',
      noValue: 'No interruption of a GPU or TPU pool in the time range',
    },
    {
      expr: `${poolInterruptions(['cluster', 'node_pool'], '$__interval')} > 0
and on (cluster, node_pool)
${pools(NODE_POOL.accelerator)}`,
      legend: '{{node_pool}} {{cluster}}',
    },
  );
}

/** A pool has one kind of accelerator; were it made anew with another one, both would be told for a while. */
function acceleratorOf(): string {
  return `topk by (cluster, node_pool) (1,
  group by (cluster, node_pool, accelerator) (${pools('gke_node_info', 'accelerator!="", accelerator=~"$accelerator"')})
)`;
}

function accelerators(): UnplacedPanel {
  const of = (query: string): string =>
    `${query}\n* on (cluster, node_pool) group_left (accelerator)\n${acceleratorOf()}`;
  return table(
    {
      id: 13,
      title: 'GPU and TPU pools by accelerator',
      description:
        'Interruptions of each GPU and TPU pool in the time range, and node hours per interruption in the last 28 days. Of a TPU slice of several hosts, an event on one host interrupts all.',
      unit: 'short',
      noValue: 'There is no GPU or TPU pool',
    },
    {
      labels: [
        { label: 'accelerator', title: 'Accelerator' },
        { label: 'node_pool', title: 'Node pool', links: [poolLink(field('node_pool'))] },
        { label: 'cluster', title: 'Cluster' },
      ],
      values: [
        { refId: 'A', title: 'Nodes', expr: of(pools(NODE_POOL.nodes)) },
        {
          refId: 'B',
          title: 'Interruptions',
          decimals: 0,
          expr: of(`(\n  ${inner(poolInterruptions(['cluster', 'node_pool'], '$__range'))}\n)`),
        },
        {
          refId: 'C',
          title: 'Node hours each, 28 d',
          unit: 'h',
          decimals: 0,
          expr: of(worst(INTERRUPTION.hours28d)),
        },
      ],
      order: ['Accelerator', 'Node pool', 'Cluster', 'Nodes', 'Interruptions', 'Node hours each, 28 d'],
      sortBy: { title: 'Interruptions', descending: true },
    },
  );
}
