import { NODE } from '../alerts/rules/maintenance.ts';
import type { Section } from './layout.ts';
import { field, nodeLinks, runbookLink } from './links.ts';
import { type UnplacedPanel, valueTexts } from './panel.ts';
import { clusters, INTERRUPTION, nodesBy, pools } from './series.ts';
import { table, type ValueColumn } from './table.ts';

/** A list of more nodes is read by nobody, and makes a browser slow. */
const MOST_NODES = 200;

/** What it means that nothing is scheduled. */
export const NONE_SCHEDULED = 'No maintenance is announced for the chosen pools';

/** The nodes that somebody has to do something about, and those about which something is being done. */
export function nodesToMaintain(): Section {
  return {
    id: 101,
    title: 'Nodes',
    lines: [
      { height: 13, panels: [[24, upcoming()]] },
      { height: 8, panels: [[24, underWay()]] },
    ],
  };
}

/** Labels that links to Google's pages are made of, of clusters that can be told apart. */
function clusterOf(these: string): string {
  return `0 * ${these}
+ on (cluster, node_pool) group_left (project_id, location, cluster_name)
${pools(INTERRUPTION.nodesOfCluster)}`;
}

/** What is told of each of some nodes, in columns that two tables share. */
function facts(these: string): readonly ValueColumn[] {
  const of = (query: string): string => `${query}\nand on (cluster, node)\n${these}`;
  const key = ['cluster', 'node', 'node_pool'];
  return [
    {
      refId: 'E',
      title: 'Can be started early',
      width: 150,
      mappings: [YES_NO],
      expr: of(pools(NODE.canReschedule)),
    },
    { refId: 'M', expr: of(nodesBy([...key, 'machine_type', 'zone'])) },
    {
      refId: 'R',
      title: 'Reasons',
      collect: { label: 'reason', by: key },
      expr: labelOf('reason', 'gke_node_maintenance_reason', these),
    },
    {
      refId: 'S',
      title: 'Sources',
      collect: { label: 'source', by: key },
      expr: labelOf('source', 'gke_node_maintenance_window_start_timestamp_seconds', these),
    },
    { refId: 'L', expr: clusterOf(these) },
  ];
}

/** The values of a label for each node. An exporter on a node may not know the node pool; the recordings do. */
function labelOf(label: string, series: string, these: string): string {
  return `group by (cluster, node, node_pool, ${label}) (
  ${clusters(series)}
  * on (cluster, node) group_left (node_pool)
  ${these}
)`;
}

const YES_NO = valueTexts({ 0: ['no', 'text'], 1: ['yes', 'green'] });

function upcoming(): UnplacedPanel {
  const soonest = `bottomk(${MOST_NODES}, ${pools(NODE.startsIn)})`;
  const instant = { unit: 'dateTimeAsIso', width: 170 } as const;
  return table(
    {
      id: 7,
      title: 'Upcoming, soonest first',
      description: `The next ${MOST_NODES} nodes to be maintained. A negative time says that the window has opened and work has not begun. A click on a node leads to its page, to the console and to its logs; one on the advice to what to do.`,
      unit: 'short',
      noValue: NONE_SCHEDULED,
    },
    {
      labels: NODE_LABELS,
      values: [
        {
          refId: 'A',
          title: 'Starts in',
          unit: 'dtdurations',
          width: 170,
          expr: advised(soonest),
          thresholds: SOON,
        },
        { refId: 'B', title: 'Window opens', ...instant, expr: inMilliseconds(NODE.start, soonest) },
        { refId: 'C', title: 'Window closes', ...instant, expr: inMilliseconds(NODE.end, soonest) },
        ...facts(soonest),
      ],
      order: [
        'Node',
        'Node pool',
        'Cluster',
        'Machine',
        'Zone',
        'Starts in',
        'Window opens',
        'Window closes',
        'Can be started early',
        'Reasons',
        'Sources',
        'Advice',
      ],
      hidden: HIDDEN,
      sortBy: { title: 'Starts in', descending: false },
    },
  );
}

function underWay(): UnplacedPanel {
  const these = `topk(${MOST_NODES}, ${pools(NODE.begun)})`;
  const advice = `label_replace(${these}, "advice", "GKEDisruptionMaintenanceOngoing", "", "")`;
  return table(
    {
      id: 8,
      title: 'Begun',
      description: `Up to ${MOST_NODES} nodes of which GKE says that maintenance has begun. Since: from the start of the window. In progress: the node is stopped or about to be; otherwise the work is done and GKE has not said so yet.`,
      unit: 'short',
      noValue: 'No maintenance has begun on the chosen pools',
    },
    {
      labels: NODE_LABELS,
      values: [
        { refId: 'A', expr: advice },
        {
          refId: 'B',
          title: 'Since',
          unit: 'dtdurations',
          width: 170,
          expr: `time() - ${pools(NODE.start)}\nand on (cluster, node)\n${these}`,
        },
        {
          refId: 'C',
          title: 'In progress',
          width: 110,
          mappings: [IN_PROGRESS],
          expr: `${pools(NODE.inProgress)}\nor\n0 * ${these}`,
        },
        {
          refId: 'D',
          title: 'Ready',
          width: 90,
          mappings: [READY],
          expr: `${pools(NODE.ready)}\nand on (cluster, node)\n${these}`,
        },
        ...facts(these),
      ],
      order: [
        'Node',
        'Node pool',
        'Cluster',
        'Machine',
        'Zone',
        'Since',
        'In progress',
        'Ready',
        'Can be started early',
        'Reasons',
        'Sources',
        'Advice',
      ],
      hidden: HIDDEN,
      sortBy: { title: 'Since', descending: true },
    },
  );
}

const IN_PROGRESS = valueTexts({ 0: ['no', 'text'], 1: ['yes', 'orange'] });
const READY = valueTexts({ 0: ['no', 'red'], 1: ['yes', 'green'] });
const SOON = [
  [null, 'red'],
  [3600, 'orange'],
  [86_400, 'text'],
] as const;
const HIDDEN = ['project_id', 'location', 'cluster_name'];
const NODE_LABELS = [
  { label: 'node', title: 'Node', width: 310, links: nodeLinks() },
  { label: 'node_pool', title: 'Node pool', width: 130 },
  { label: 'cluster', title: 'Cluster', width: 110 },
  { label: 'machine_type', title: 'Machine', width: 170 },
  { label: 'zone', title: 'Zone', width: 130 },
  { label: 'advice', title: 'Advice', links: [runbookLink(field('advice'))] },
];

/** Each row says which runbook is about it. */
function advised(these: string): string {
  const advice = (runbook: string, condition: string): string =>
    `label_replace(${these}${condition}, "advice", "${runbook}", "", "")`;
  return `${advice('GKEDisruptionMaintenanceImminent', ' < 3600')}
or on (cluster, node)
${advice('GKEDisruptionMaintenanceSoon', ' < 86400')}
or on (cluster, node)
${advice('GKEDisruptionMaintenanceScheduled', '')}`;
}

/** Grafana's units of instants want milliseconds. */
function inMilliseconds(recording: string, these: string): string {
  return `1000 * ${pools(recording)}\nand on (cluster, node)\n${these}`;
}
