import { NODE_POOL } from '../alerts/rules/maintenance.ts';
import type { Section } from './layout.ts';
import { field, poolLink, runbookLink } from './links.ts';
import type { UnplacedPanel } from './panel.ts';
import { inner, nodesBy, pools } from './series.ts';
import { table } from './table.ts';

/** Which node pools lose most, and which cannot say so beforehand. */
export function atRisk(): Section {
  return {
    id: 102,
    title: 'Who suffers',
    lines: [
      {
        height: 9,
        panels: [
          [14, poolsAtRisk()],
          [10, blindSpots()],
        ],
      },
    ],
  };
}

/** Maintenance and interruptions as parts of a pool. Without Cloud Monitoring there are no interruptions to add. */
function riskQuery(): string {
  const size = pools(NODE_POOL.nodes);
  const maintenance = `${pools(NODE_POOL.scheduledWithin24h)} + ${pools(NODE_POOL.inProgress)} / ${size}`;
  return `topk(20, (
  ${maintenance} + ${inner(`${inLast24h()} / ${size}`)}
  or
  ${maintenance}
) > 0)`;
}

function inLast24h(): string {
  return `max by (cluster, node_pool) (${pools('node_pool:gke_node_pool_interruptions_in_window:sum', 'window="24h"')})`;
}

function poolsAtRisk(): UnplacedPanel {
  const risk = riskQuery();
  const ofThese = (query: string): string => `${query}\nand on (cluster, node_pool)\n${risk}`;
  const share = { unit: 'percentunit', decimals: 0 } as const;
  return table(
    {
      id: 13,
      title: 'Pools most at risk',
      description:
        'The 20 pools of which most is or will be lost. Risk: the part of its nodes that is under maintenance or will be within 24 hours, and its interruptions per node in the last 24 hours.',
      unit: 'short',
      noValue: 'Nothing lost, and nothing to be lost within 24 hours',
    },
    {
      labels: [
        { label: 'node_pool', title: 'Node pool', links: [poolLink(field('node_pool'))] },
        { label: 'cluster', title: 'Cluster' },
      ],
      values: [
        {
          refId: 'A',
          title: 'Risk',
          expr: risk,
          ...share,
          thresholds: [
            [null, 'green'],
            [0.1, 'orange'],
            [0.5, 'red'],
          ],
        },
        { refId: 'B', title: 'Nodes', expr: ofThese(pools(NODE_POOL.nodes)) },
        { refId: 'C', title: 'Now', expr: ofThese(pools(NODE_POOL.inProgress)) },
        { refId: 'D', title: 'Within 24 h', expr: ofThese(pools(NODE_POOL.scheduledWithin24h)), ...share },
        { refId: 'E', title: 'Interruptions 24 h', expr: ofThese(inLast24h()) },
      ],
      order: ['Node pool', 'Cluster', 'Risk', 'Nodes', 'Now', 'Within 24 h', 'Interruptions 24 h'],
      sortBy: { title: 'Risk', descending: true },
    },
  );
}

function blindSpots(): UnplacedPanel {
  const labels = ['cluster', 'node_pool', 'machine_type', 'gke_version'];
  const blind = nodesBy(
    ['node', ...labels],
    'live_migration="unsupported", maintenance_notice="unsupported"',
  );
  return table(
    {
      id: 14,
      title: 'Blind spots',
      description:
        'Nodes that are stopped for host maintenance without being able to announce it: their machine type cannot be live migrated, and their GKE version gives no notice.',
      unit: 'short',
      noValue: 'Every node that is stopped for maintenance can announce it',
    },
    {
      labels: [
        {
          label: 'node_pool',
          title: 'Node pool',
          links: [runbookLink('GKEDisruptionMaintenanceNotAnnounced')],
        },
        { label: 'cluster', title: 'Cluster' },
        { label: 'machine_type', title: 'Machine' },
        { label: 'gke_version', title: 'GKE' },
      ],
      values: [{ refId: 'A', title: 'Nodes', expr: `topk(100, count by (${labels.join(', ')}) (${blind}))` }],
      order: ['Node pool', 'Cluster', 'Machine', 'GKE', 'Nodes'],
      sortBy: { title: 'Nodes', descending: true },
    },
  );
}
