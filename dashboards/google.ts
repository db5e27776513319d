import { bars, lines } from './graphs.ts';
import type { DashboardContent, Section } from './layout.ts';
import { UID } from './links.ts';
import type { PanelText, UnplacedPanel } from './panel.ts';
import { INTERRUPTION } from './series.ts';
import { barGauge, NEUTRAL, stat } from './stats.ts';
import { datasourceVariable, queryVariable } from './variables.ts';

const NODE_COUNT =
  'kubernetes_io:node_interruption_count{monitored_resource="k8s_node", cluster_name=~"$cluster_name"}';
const POOL_COUNT =
  'kubernetes_io:node_pool_interruption_count{monitored_resource="k8s_node_pool", cluster_name=~"$cluster_name", node_pool_name=~"$node_pool_name"}';

const NONE = 'No interruption in the time range';

/**
 * The queries of Google's documentation, with its names: on Managed Service for Prometheus they read Google's own metrics, and
 * elsewhere what the recording rules write under the same names.
 */
export function google(): DashboardContent {
  return {
    uid: UID.google,
    title: "GKE disruption / Google's own metrics",
    description:
      "Interruptions by the queries of Google's documentation: on Google's own metrics in Managed Service for Prometheus, and on those that the recording rules write.",
    from: 'now-7d',
    variables: [
      datasourceVariable(),
      queryVariable({
        name: 'cluster_name',
        label: 'Cluster name',
        description: 'The label cluster_name, as Google sets it',
        query:
          'label_values(kubernetes_io:node_pool_interruption_count{monitored_resource="k8s_node_pool"}, cluster_name)',
        allValue: '.*',
      }),
      queryVariable({
        name: 'node_pool_name',
        label: 'Node pool',
        description:
          'The label node_pool_name, as Google sets it. What Google counts by node has no such label',
        query:
          'label_values(kubernetes_io:node_pool_interruption_count{monitored_resource="k8s_node_pool", cluster_name=~"$cluster_name"}, node_pool_name)',
        allValue: '.*',
      }),
    ],
    sections: [nodePools(), nodes()],
  };
}

function total(range: string, by: string, counted: string): string {
  return `sum by (${by}) (\n  sum_over_time(${counted}[${range}])\n)`;
}

function nodePools(): Section {
  const cause = 'interruption_type, interruption_reason';
  return {
    id: 100,
    title: 'Node pools',
    lines: [
      {
        height: 8,
        panels: [
          [6, count(1, 'Interruptions of node pools', POOL_COUNT)],
          [18, poolsMost()],
        ],
      },
      {
        height: 9,
        panels: [
          [
            12,
            over(
              text(3, 'Node pools by cause', 'Interruptions of node pools in each bar, by type and reason.'),
              cause,
              POOL_COUNT,
            ),
          ],
          [
            12,
            over(
              text(4, 'By node pool', 'Interruptions in each bar, by node pool.'),
              'node_pool_name',
              POOL_COUNT,
            ),
          ],
        ],
      },
    ],
  };
}

function nodes(): Section {
  const cause = 'interruption_type, interruption_reason';
  return {
    id: 101,
    title: 'Nodes',
    lines: [
      {
        height: 8,
        panels: [
          [6, count(5, 'Interruptions of nodes', NODE_COUNT)],
          [18, nodesMost()],
        ],
      },
      {
        height: 9,
        panels: [
          [
            12,
            over(
              text(7, 'Nodes by cause', 'Interruptions of nodes in each bar, by type and reason.'),
              cause,
              NODE_COUNT,
            ),
          ],
          [12, meanTime()],
        ],
      },
    ],
  };
}

function text(id: number, title: string, description: string): PanelText {
  return {
    id,
    title,
    description: `${description} Whole numbers.`,
    unit: 'short',
    decimals: 0,
    noValue: NONE,
  };
}

function count(id: number, title: string, counted: string): UnplacedPanel {
  return stat(
    {
      ...text(id, title, 'Interruptions in the time range.'),
      noValue: 'No metrics, or no rules',
      thresholds: NEUTRAL,
    },
    { expr: `sum(sum_over_time(${counted}[$__range]))` },
  );
}

function over(panel: PanelText, by: string, counted: string): UnplacedPanel {
  const legend = by
    .split(', ')
    .map((label) => `{{${label}}}`)
    .join(' ');
  return bars(panel, { expr: `${total('$__interval', by, counted)} > 0`, legend });
}

function poolsMost(): UnplacedPanel {
  return barGauge(
    {
      ...text(
        2,
        'Node pools interrupted most',
        'The 10 node pools with most interruptions in the time range.',
      ),
      thresholds: NEUTRAL,
    },
    {
      expr: `sort_desc(topk(10, ${total('$__range', 'cluster_name, node_pool_name', POOL_COUNT)} > 0))`,
      legend: '{{node_pool_name}} {{cluster_name}}',
    },
  );
}

function nodesMost(): UnplacedPanel {
  return barGauge(
    {
      ...text(6, 'Nodes interrupted most', 'The 10 nodes with most interruptions in the time range.'),
      thresholds: NEUTRAL,
    },
    {
      expr: `sort_desc(topk(10, ${total('$__range', 'cluster_name, node_name', NODE_COUNT)} > 0))`,
      legend: '{{node_name}}',
    },
  );
}

/**
 * Google's documentation divides the samples of a metric that each node has once a minute by the interruptions. Where that metric
 * is not, the recorded sizes of the node pools are the same number of nodes.
 */
function meanTime(): UnplacedPanel {
  const memory =
    'kubernetes_io:node_memory_total_bytes{monitored_resource="k8s_node", cluster_name=~"$cluster_name"}';
  return lines(
    {
      id: 8,
      title: 'Mean time between interruptions',
      description:
        'Hours of all nodes, divided by their interruptions, in the 24 hours before. Gaps: there were none.',
      unit: 'h',
      decimals: 0,
      noValue: 'No interruption within 24 hours before any instant of the time range',
    },
    {
      expr: `(
  sum(count_over_time(${memory}[24h])) / 60
  or
  sum(avg_over_time(${INTERRUPTION.nodesOfCluster}{cluster_name=~"$cluster_name"}[24h])) * 24
)
/
(sum(sum_over_time(${NODE_COUNT}[24h])) > 0)`,
      legend: 'node hours per interruption',
    },
  );
}
