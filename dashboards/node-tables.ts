import type { Section } from './layout.ts';
import { nodeLinks } from './links.ts';
import { type UnplacedPanel, valueTexts } from './panel.ts';
import { clusters, INTERRUPTION } from './series.ts';
import { table } from './table.ts';

/** The node that is chosen. */
export const NODE_MATCHER = 'node="$node"';

const INSTANT = { unit: 'dateTimeAsIso', width: 170 } as const;
const FACTS = [
  'machine_type',
  'zone',
  'provisioning',
  'accelerator',
  'accelerator_count',
  'tpu_topology',
  'gke_version',
  'live_migration',
  'maintenance_notice',
  'instance_id',
];

/** What the node is, which does not change. */
export function nodeFacts(): UnplacedPanel {
  const info = `group by (cluster, node, node_pool, ${FACTS.join(', ')}) (${of('gke_node_info')})`;
  return table(
    {
      id: 10,
      title: 'What it is',
      description:
        'Static properties of the node. A click on its name leads to the Google Cloud console and to its logs.',
      unit: 'short',
      noValue: 'There is no such node now',
    },
    {
      labels: [
        { label: 'node', title: 'Node', width: 310, links: nodeLinks().slice(1) },
        { label: 'node_pool', title: 'Node pool' },
        { label: 'cluster', title: 'Cluster' },
        { label: 'machine_type', title: 'Machine' },
        { label: 'zone', title: 'Zone' },
        { label: 'provisioning', title: 'Provisioning' },
        { label: 'accelerator', title: 'Accelerator' },
        { label: 'accelerator_count', title: 'Accelerators' },
        { label: 'tpu_topology', title: 'TPU topology' },
        { label: 'gke_version', title: 'GKE' },
        { label: 'live_migration', title: 'Live migration' },
        { label: 'maintenance_notice', title: 'Notice' },
        { label: 'instance_id', title: 'Instance' },
      ],
      values: [
        { refId: 'A', expr: info },
        {
          refId: 'L',
          expr: `0 * ${info}\n+ on (cluster, node_pool) group_left (project_id, location, cluster_name)\n${clusters(INTERRUPTION.nodesOfCluster)}`,
        },
      ],
      order: [
        'Node',
        'Node pool',
        'Cluster',
        'Machine',
        'Zone',
        'Provisioning',
        'Accelerator',
        'Accelerators',
        'TPU topology',
        'GKE',
        'Live migration',
        'Notice',
        'Instance',
      ],
      hidden: ['project_id', 'location', 'cluster_name'],
      sortBy: { title: 'Node', descending: false },
    },
  );
}

/** What each source says of the node now. */
export function nodeTables(): Section {
  return {
    id: 102,
    title: 'What is said of it now',
    lines: [
      {
        height: 8,
        panels: [
          [14, sources()],
          [10, events()],
        ],
      },
      {
        height: 7,
        panels: [
          [14, states()],
          [10, interruptions()],
        ],
      },
    ],
  };
}

function of(series: string, matchers = NODE_MATCHER): string {
  return clusters(series, matchers);
}

function sources(): UnplacedPanel {
  const instant = (name: string): string =>
    `max by (source) (${of(`gke_node_maintenance_${name}_timestamp_seconds`)}) * 1000`;
  return table(
    {
      id: 11,
      title: 'Maintenance, by source',
      description:
        'The window as each source tells it, and why. Two sources may differ by seconds; hours apart, something is wrong.',
      unit: 'short',
      noValue: 'No maintenance is announced',
    },
    {
      labels: [{ label: 'source', title: 'Source', width: 110 }],
      values: [
        { refId: 'A', title: 'Window opens', expr: instant('window_start'), ...INSTANT },
        { refId: 'B', title: 'Can be moved to', expr: instant('latest_window_start'), ...INSTANT },
        { refId: 'C', title: 'Window closes', expr: instant('window_end'), ...INSTANT },
        {
          refId: 'D',
          title: 'Can be started early',
          width: 150,
          mappings: [YES_NO],
          expr: `min by (source) (${of('gke_node_maintenance_can_reschedule')})`,
        },
        {
          refId: 'R',
          title: 'Reasons',
          collect: { label: 'reason', by: ['source'] },
          expr: `group by (source, reason) (${of('gke_node_maintenance_reason')})`,
        },
      ],
      order: [
        'Source',
        'Window opens',
        'Can be moved to',
        'Window closes',
        'Can be started early',
        'Reasons',
      ],
      sortBy: { title: 'Source', descending: false },
    },
  );
}

const YES_NO = valueTexts({ 0: ['no', 'text'], 1: ['yes', 'green'] });

function events(): UnplacedPanel {
  return table(
    {
      id: 12,
      title: 'Last Events',
      description:
        'When GKE last wrote an Event about the maintenance of this node, by what it tells. The API server keeps Events for an hour.',
      unit: 'dateTimeAsIso',
      noValue: 'GKE wrote no Event about this node in the last hour',
    },
    {
      labels: [{ label: 'event', title: 'Event' }],
      values: [
        {
          refId: 'A',
          title: 'When',
          ...INSTANT,
          expr: `max by (event) (${of('gke_node_last_maintenance_event_timestamp_seconds')}) * 1000`,
        },
      ],
      order: ['Event', 'When'],
      sortBy: { title: 'When', descending: true },
    },
  );
}

function states(): UnplacedPanel {
  return table(
    {
      id: 13,
      title: 'States as sent',
      description:
        'What Google sends as status of the window, as its type, and as state of a maintenance that has begun. ONGOING tells of the window, not of the work.',
      unit: 'short',
      noValue: 'No maintenance is announced',
    },
    {
      labels: [
        { label: 'source', title: 'Source', width: 110 },
        { label: 'status', title: 'Status' },
        { label: 'type', title: 'Type' },
        { label: 'state', title: 'State of what has begun' },
      ],
      values: [
        { refId: 'A', expr: `group by (node, source, status) (${of('gke_node_maintenance_status')} == 1)` },
        { refId: 'B', expr: `group by (node, source, type) (${of('gke_node_maintenance_type')})` },
        { refId: 'C', expr: `group by (node, state) (${of('gke_node_active_maintenance')})` },
      ],
      order: ['Source', 'Status', 'Type', 'State of what has begun'],
      hidden: ['node'],
      sortBy: { title: 'Source', descending: false },
    },
  );
}

function interruptions(): UnplacedPanel {
  const cause = 'interruption_type, interruption_reason';
  return table(
    {
      id: 14,
      title: 'Last interruptions',
      description:
        'When this node was interrupted last, by type and reason, as far back as the exporter keeps nodes.',
      unit: 'dateTimeAsIso',
      noValue: 'None in the last days',
    },
    {
      labels: [
        { label: 'interruption_type', title: 'Type' },
        { label: 'interruption_reason', title: 'Reason' },
      ],
      values: [
        {
          refId: 'A',
          title: 'When',
          ...INSTANT,
          expr: `max by (${cause}) (${of('gke_node_last_interruption_timestamp_seconds')}) * 1000`,
        },
      ],
      order: ['Type', 'Reason', 'When'],
      sortBy: { title: 'When', descending: true },
    },
  );
}
