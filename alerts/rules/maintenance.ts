import { formatDuration } from '../../exporter/config/duration.ts';
import { indent, type Promql, seconds } from '../promql.ts';
import type { RecordingRule } from '../rule.ts';

const DAY_SECONDS = 86_400;

/** The series that tell of maintenance, of any source. */
const START = 'gke_node_maintenance_window_start_timestamp_seconds';
const END = 'gke_node_maintenance_window_end_timestamp_seconds';
const STATUS = 'gke_node_maintenance_status';
const ACTIVE = 'gke_node_active_maintenance';
const WINDOW_OPEN = 'gke_node_maintenance_window_open';
const IMPENDING = 'gke_node_termination_impending';

/** Provisioning that may be preempted at any time, as a pattern. */
export const SPOT = 'spot|preemptible';

/** The names of what is recorded for each node that maintenance is told of. */
export const NODE = {
  maintenance: 'node:gke_node_maintenance:group',
  start: `node:${START}:min`,
  end: `node:${END}:max`,
  canReschedule: 'node:gke_node_maintenance_can_reschedule:min',
  ready: 'node:gke_disrupted_node_ready:min',
  begun: 'node:gke_node_maintenance_begun:group',
  inProgress: 'node:gke_node_maintenance_in_progress:group',
  startsIn: 'node:gke_node_maintenance_starts_in_seconds:min',
  windowOpen: 'node:gke_node_maintenance_window_open:group',
  terminationImpending: 'node:gke_node_termination_impending:group',
  sourcesApart: `node:${START}:spread`,
  firstSeen: 'node:gke_node_maintenance_first_seen_timestamp_seconds:last',
} as const;

/** The names of what is recorded for each node pool. */
export const NODE_POOL = {
  nodes: 'node_pool:gke_node_pool_nodes:max',
  accelerator: 'node_pool:gke_node_info_accelerator:group',
  spot: 'node_pool:gke_node_info_spot:group',
  scheduledWithin24h: 'node_pool:gke_node_maintenance_scheduled_24h:ratio',
  scheduledSameDay: 'node_pool:gke_node_maintenance_scheduled_same_24h:ratio',
  inProgress: 'node_pool:gke_node_maintenance_in_progress:count',
} as const;

/** Of several sources and replicas one value for each node and node pool, and what follows from them. */
export function maintenanceRecordings(promql: Promql): readonly RecordingRule[] {
  return [...nodePools(promql), ...sources(promql), firstSeen(promql), ...states(promql), ...shares(promql)];
}

function nodePools(promql: Promql): readonly RecordingRule[] {
  const pool = promql.by('node_pool');
  const over = (aggregation: string, series: string): string =>
    `${aggregation} ${pool} (\n  ${promql.latest(series)}\n)`;
  return [
    { record: NODE_POOL.nodes, expr: over('max', 'gke_node_pool_nodes') },
    { record: NODE_POOL.accelerator, expr: over('group', 'gke_node_info{accelerator!=""}') },
    { record: NODE_POOL.spot, expr: over('group', `gke_node_info{provisioning=~"${SPOT}"}`) },
  ];
}

/**
 * An exporter on a node that reads nothing but the metadata server does not know the node pool. So a value is taken over all
 * sources first, and gets its node pool from the one place that knows it. Many series of that place to one value: it never is
 * many to many.
 */
function sources(promql: Promql): readonly RecordingRule[] {
  const told = [START, STATUS, ACTIVE, WINDOW_OPEN, IMPENDING].map(promql.latest, promql).join('\nor\n');
  const node = promql.on('node');
  const pools = promql.by('node', 'node_pool');
  const each = (record: string, value: string): RecordingRule => ({
    record,
    expr: `${NODE.maintenance}\n* ${node} group_left ()\n${value}`,
  });
  const over = (aggregation: string, series: string): string =>
    `${aggregation} ${promql.by('node')} (\n  ${promql.latest(series)}\n)`;
  return [
    {
      record: NODE.maintenance,
      expr: `(
  group ${pools} (
    ${promql.latest('gke_node_info')}
  )
  and ${node} (
    ${indent(told, 4)}
  )
)
or ${node}
group ${pools} (
  ${indent(told)}
)`,
    },
    each(NODE.start, over('min', START)),
    each(NODE.end, over('max', END)),
    each(NODE.canReschedule, over('min', 'gke_node_maintenance_can_reschedule')),
    each(NODE.ready, over('min', 'gke_disrupted_node_ready')),
    each(NODE.windowOpen, over('group', WINDOW_OPEN)),
    each(NODE.terminationImpending, over('group', IMPENDING)),
    each(NODE.sourcesApart, `(\n  ${indent(`${over('max', START)}\n-\n${over('min', START)}`)}\n)`),
  ];
}

/**
 * Since when there is a record, so that a later interruption is known to have been announced. Kept while the record lasts, and
 * over a hole of an hour.
 */
function firstSeen(promql: Promql): RecordingRule {
  const node = promql.on('node');
  return {
    record: NODE.firstSeen,
    expr: `(last_over_time(${NODE.firstSeen}[1h]) and ${node} ${NODE.maintenance})
or ${node}
${NODE.maintenance} * time()`,
  };
}

/**
 * ONGOING tells of the window, not of the work: a node was seen Ready for 17 minutes of it, and for hours after the repair. So
 * the work is in progress while there is a taint or the node is not Ready; and before, as long as it is about to go down.
 */
function states(promql: Promql): readonly RecordingRule[] {
  const { settings } = promql;
  const work = `(${NODE.start} > time() - ${seconds(settings.work_begins_within)}) unless (min_over_time(${NODE.ready}[${formatDuration(settings.work_begins_within)}]) == 0)`;
  return [
    {
      record: NODE.begun,
      expr: `${NODE.maintenance}
and ${promql.on('node')} (
  ${promql.latest(`${STATUS}{status="ONGOING"}`)} == 1
  or
  ${promql.latest(ACTIVE)}
)`,
    },
    {
      record: NODE.inProgress,
      expr: `${NODE.begun}
and (
  ${NODE.windowOpen}
  or
  ${NODE.terminationImpending}
  or
  ${NODE.ready} == 0
  or
  (${work})
)`,
    },
    {
      record: NODE.startsIn,
      expr: `(${NODE.start} - time())
unless
${NODE.begun}
unless
(${NODE.end} < time())`,
    },
  ];
}

/** Node pools without any have 0, so that a graph shows where nothing is to come. */
function shares(promql: Promql): readonly RecordingRule[] {
  const pool = promql.by('node_pool');
  const start = `(${NODE.startsIn} + time())`;
  const within24h = `count ${pool} (${NODE.startsIn} < ${DAY_SECONDS})`;
  const none = `0 * ${NODE_POOL.nodes}`;
  return [
    {
      record: NODE_POOL.inProgress,
      expr: `count ${pool} (${NODE.inProgress})\nor\n${none}`,
    },
    {
      record: NODE_POOL.scheduledWithin24h,
      expr: `(\n  ${within24h}\n  or\n  ${none}\n)\n/\n${NODE_POOL.nodes}`,
    },
    {
      // The coming 24 hours, each day of UTC, and each 24 hours from noon: what lies within 12 hours is in one of them.
      record: NODE_POOL.scheduledSameDay,
      expr: `max ${pool} (
  ${within24h}
  or
  count_values ${pool} ("day", floor(${start} / ${DAY_SECONDS}))
  or
  count_values ${pool} ("noon", floor(${start} / ${DAY_SECONDS} + 0.5))
)
/
${NODE_POOL.nodes}`,
    },
  ];
}
