import { barChart, dailyHeatmap, lines } from './graphs.ts';
import type { Section } from './layout.ts';
import { nodeLinks } from './links.ts';
import type { UnplacedPanel } from './panel.ts';
import {
  clusters,
  INTERRUPTION,
  inner,
  nodeInterruptions,
  nodesBy,
  poolInterruptions,
  pools,
} from './series.ts';
import { table } from './table.ts';

const PREEMPTED = 'interruption_type="PreemptionEvent"';

/** Which nodes were interrupted most, and which without a word. */
export function interruptedNodes(): Section {
  return {
    id: 103,
    title: 'Which nodes',
    lines: [
      {
        height: 10,
        panels: [
          [14, mostInterrupted()],
          [10, withoutNotice()],
        ],
      },
    ],
  };
}

/** Nodes that are gone have no node pool any more; they are shown whichever pool is chosen. */
function mostInterrupted(): UnplacedPanel {
  const key = ['cluster', 'node', 'node_pool'];
  const count = `(\n  ${inner(nodeInterruptions(['cluster', 'node', 'project_id', 'location', 'cluster_name'], '$__range'))} > 0\n)`;
  const last = `max by (cluster, node, project_id, location, cluster_name) (${clusters('gke_node_last_interruption_timestamp_seconds')}) * 1000`;
  const most = `topk(50,
  ${inner(count)}
  * on (cluster, node) group_left (node_pool)
  ${nodesBy(key)}
  or on (cluster, node)
  (
    ${inner(count, 4)}
    unless on (cluster, node)
    gke_node_info
  )
)`;
  return table(
    {
      id: 14,
      title: 'Nodes interrupted most',
      description:
        'The 50 nodes with most interruptions in the time range. Nodes that are gone have no node pool, and are listed whichever pool is chosen. A click leads to the node, to the console and to its logs.',
      unit: 'short',
      noValue: 'No node was interrupted in the time range',
    },
    {
      labels: [
        { label: 'node', title: 'Node', width: 310, links: nodeLinks() },
        { label: 'node_pool', title: 'Node pool' },
        { label: 'cluster', title: 'Cluster' },
      ],
      values: [
        { refId: 'A', title: 'Interruptions', decimals: 0, width: 120, expr: most },
        {
          refId: 'B',
          title: 'Last',
          unit: 'dateTimeFromNow',
          width: 150,
          expr: `${last}\nand on (cluster, node)\n${most}`,
        },
      ],
      order: ['Node', 'Node pool', 'Cluster', 'Interruptions', 'Last'],
      hidden: ['project_id', 'location', 'cluster_name'],
      sortBy: { title: 'Interruptions', descending: true },
    },
  );
}

function withoutNotice(): UnplacedPanel {
  return lines(
    {
      id: 15,
      title: 'Nodes hit without notice',
      description:
        'Nodes that in the 15 minutes before had a host error, or were preempted though they are not Spot, while no maintenance was announced on them.',
      unit: 'short',
      decimals: 0,
      noValue: 'No node was hit without notice in the time range',
    },
    {
      expr: `count by (cluster, node_pool) (${pools(INTERRUPTION.withoutNotice)})`,
      legend: '{{node_pool}} {{cluster}}',
    },
  );
}

/** When on a day Spot nodes are taken away. */
export function byHour(): Section {
  return {
    id: 104,
    title: 'Spot preemptions by hour of day',
    lines: [
      {
        height: 11,
        panels: [
          [14, hourByDay()],
          [10, hours()],
        ],
      },
    ],
  };
}

/**
 * Each whole hour within a range gets its hour of the day as a label, and the preemptions of this hour as its value. A subquery
 * is evaluated at whole hours of UTC, whatever the range begins and ends with.
 */
function preemptionsByHour(range: string): string {
  return `sum by (hour) (sum_over_time((
  label_replace(count_values("hour", hour(vector(time() - 1))), "hour", "0$1", "hour", "(.)")
  * on () group_left ()
  ${inner(poolInterruptions([], '1h', PREEMPTED))}
)[${range}:1h]))`;
}

function hourByDay(): UnplacedPanel {
  return dailyHeatmap(
    {
      id: 16,
      title: 'Preemptions by hour of day, day by day',
      description:
        'A column for each day that is over, a row for each hour of it (UTC). Choose a range of a week or more. The colour says how many.',
      unit: 'short',
      noValue: 'No preemption is known: there is no interruption data, or no day of the range is over',
    },
    { expr: preemptionsByHour('$__interval'), legend: '{{hour}}:00' },
  );
}

function hours(): UnplacedPanel {
  return barChart(
    {
      id: 17,
      title: 'Preemptions by hour of day',
      description: 'Preemptions in the time range by hour of the day (UTC), of whole hours that are over.',
      unit: 'short',
      noValue: 'No data: choose a time range of at least an hour',
    },
    { expr: preemptionsByHour('$__range'), legend: 'preemptions' },
    {
      xField: 'hour',
      transformations: [{ id: 'sortBy', options: { fields: {}, sort: [{ field: 'hour' }] } }],
    },
  );
}
