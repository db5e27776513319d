import { formatDuration } from '../../exporter/config/duration.ts';
import { alert, POOL, poolAlert } from '../alert.ts';
import { type PoolQuery, PoolTemplates } from '../annotation.ts';
import { type Promql, seconds } from '../promql.ts';
import type { AlertingRule, RuleGroup, Severity } from '../rule.ts';
import { maintenanceRecordings, NODE, NODE_POOL } from './maintenance.ts';

/** What is known of coming and current maintenance, and who has to know it. */
export function maintenance(promql: Promql): RuleGroup {
  return {
    name: 'gke-disruption-maintenance',
    rules: [
      ...maintenanceRecordings(promql),
      ...coming(promql),
      ...wholePool(promql),
      majority(promql),
      cannotBeRescheduled(promql),
      windowOpen(promql),
      terminationImpending(promql),
      ongoing(promql),
      overrun(promql),
      sourcesDisagree(promql),
    ],
  };
}

/** The nodes whose maintenance starts within so many milliseconds, or at any time. */
function startsWithin(milliseconds?: number): PoolQuery {
  const limit = milliseconds === undefined ? '' : ` < ${seconds(milliseconds)}`;
  return (selector) => `${NODE.startsIn}${selector}${limit}`;
}

/** When it starts, whether it can be moved, and how. */
function whenAndHow(promql: Promql, nodes: PoolQuery): Readonly<Record<string, string>> {
  const templates = new PoolTemplates(promql);
  const reschedulable: PoolQuery = (selector) => `(${nodes(selector)}) and (${NODE.canReschedule} == 1)`;
  return {
    starts: templates.starts(nodes),
    reschedulable: templates.howMany(reschedulable),
    command: templates.startNow(reschedulable),
  };
}

/** Farther and nearer. Each fires as well while a nearer one does; Alertmanager keeps the farther ones silent then. */
function coming(promql: Promql): readonly AlertingRule[] {
  const { soon, imminent } = promql.settings;
  const tier = (name: string, severity: Severity, within?: number): AlertingRule => {
    const nodes = startsWithin(within);
    const when = within === undefined ? '' : ` within ${formatDuration(within)}`;
    return poolAlert(promql, {
      name,
      severity,
      nodes,
      summary: `Host maintenance of nodes of a node pool ${within === undefined ? 'is scheduled' : `starts${when}`}.`,
      description: `Host maintenance in the pool ${POOL} ${within === undefined ? 'is scheduled' : `starts${when}`}. Nodes: {{ $value }}.`,
      annotations: whenAndHow(promql, nodes),
    });
  };
  return [
    tier('MaintenanceScheduled', 'info'),
    tier('MaintenanceSoon', 'warning', soon),
    tier('MaintenanceImminent', 'critical', imminent),
  ];
}

/** A training job that is spread over the pool stops as a whole. A pool of one node is what the other alerts say. */
function wholePool(promql: Promql): readonly AlertingRule[] {
  const { soon, imminent } = promql.settings;
  const isWhole = `== ${NODE_POOL.nodes} > 1\nand ${NODE_POOL.accelerator}`;
  const pool = promql.by('node_pool');
  const starts = (severity: Severity, within: number): AlertingRule => {
    const scheduled = startsWithin(within);
    const nodes: PoolQuery = (selector) => `${scheduled(selector)}\nor\n${NODE.inProgress}${selector}`;
    return poolAlert(promql, {
      name: 'WholePoolMaintenance',
      severity,
      nodes,
      // What has begun everywhere is no longer to come.
      only: `${isWhole}\nand count ${pool} (${scheduled('')})`,
      summary: `Host maintenance takes a whole accelerator node pool within ${formatDuration(within)}.`,
      description: `Host maintenance of all {{ $value }} nodes of the pool ${POOL} starts within ${formatDuration(within)} or has begun: what runs on them stops as a whole.`,
      annotations: whenAndHow(promql, scheduled),
    });
  };
  return [
    starts('warning', soon),
    starts('critical', imminent),
    poolAlert(promql, {
      name: 'WholePoolMaintenanceOngoing',
      severity: 'info',
      nodes: (selector) => `${NODE.inProgress}${selector}`,
      only: isWhole,
      summary: 'A whole accelerator node pool is under host maintenance.',
      description: `All {{ $value }} nodes of the pool ${POOL} are under host maintenance.`,
    }),
  ];
}

function majority(promql: Promql): AlertingRule {
  return alert(promql, {
    name: 'MajorityMaintenance',
    severity: 'warning',
    expr: `${NODE_POOL.scheduledSameDay} > ${promql.settings.majority}\nand\n${NODE_POOL.nodes} > 1`,
    summary: 'A large part of a node pool has host maintenance within the same 24 hours.',
    description: `{{ $value | humanizePercentage }} of the nodes of the pool ${POOL} have host maintenance within the same 24 hours.`,
    annotations: {
      nodes: new PoolTemplates(promql).names(startsWithin()),
      starts: new PoolTemplates(promql).starts(startsWithin()),
    },
  });
}

function cannotBeRescheduled(promql: Promql): AlertingRule {
  const { soon } = promql.settings;
  const nodes: PoolQuery = (selector) => `${startsWithin(soon)(selector)}\nand\n(${NODE.canReschedule} == 0)`;
  return poolAlert(promql, {
    name: 'MaintenanceCannotBeRescheduled',
    severity: 'info',
    nodes,
    summary: `Host maintenance within ${formatDuration(soon)} cannot be started early.`,
    description: `Host maintenance in the pool ${POOL} starts within ${formatDuration(soon)} and cannot be started at another time. Nodes: {{ $value }}.`,
    annotations: { starts: new PoolTemplates(promql).starts(nodes) },
  });
}

function windowOpen(promql: Promql): AlertingRule {
  return poolAlert(promql, {
    name: 'MaintenanceWindowOpen',
    severity: 'warning',
    nodes: (selector) =>
      `(${NODE.windowOpen}${selector} or (${NODE.startsIn}${selector} <= 0))\nunless\n${NODE.begun}`,
    summary: 'The maintenance window of nodes of a node pool is open: maintenance may begin at any moment.',
    description: `A maintenance window in the pool ${POOL} is open, and the maintenance has not begun. Nodes: {{ $value }}.`,
  });
}

function terminationImpending(promql: Promql): AlertingRule {
  // That a Spot VM ends is its nature.
  const spot = promql.latest('gke_node_info{provisioning=~"spot|preemptible"}');
  return poolAlert(promql, {
    name: 'TerminationImpending',
    severity: 'warning',
    nodes: (selector) => `${NODE.terminationImpending}${selector}\nunless ${promql.on('node')}\n${spot}`,
    summary: 'Nodes of a node pool are about to be terminated.',
    description: `Termination of nodes of the pool ${POOL} is impending; they take no more pods. Nodes: {{ $value }}.`,
  });
}

/** One for each node: it keeps alerts of others about the same node silent. */
function ongoing(promql: Promql): AlertingRule {
  return alert(promql, {
    name: 'MaintenanceOngoing',
    severity: 'info',
    expr: NODE.inProgress,
    summary: 'A node is under host maintenance.',
    description: `Host maintenance of the node {{ $labels.node }} (pool ${POOL}) has begun and is not over.`,
    annotations: { command: 'kubectl describe node {{ $labels.node }}' },
  });
}

/** The window is the span in which maintenance may begin. A repair was observed to end 29 minutes after it. */
function overrun(promql: Promql): AlertingRule {
  const { overrun: grace } = promql.settings;
  return poolAlert(promql, {
    name: 'MaintenanceOverrun',
    severity: 'warning',
    nodes: (selector) => `(${NODE.end}${selector} < time() - ${seconds(grace)})\nand\n(${NODE.ready} == 0)`,
    summary: 'Nodes of a node pool are not back although their maintenance window has ended.',
    description: `A maintenance window in the pool ${POOL} ended more than ${formatDuration(grace)} ago, and its nodes are not Ready. Nodes: {{ $value }}.`,
    annotations: { command: 'kubectl get nodes -l cloud.google.com/gke-nodepool={{ $labels.node_pool }}' },
  });
}

function sourcesDisagree(promql: Promql): AlertingRule {
  const { sources_disagree: apart } = promql.settings;
  return poolAlert(promql, {
    name: 'MaintenanceSourcesDisagree',
    severity: 'warning',
    // As long as it takes until a source that is asked every five minutes has surely been asked again.
    for: '15m',
    nodes: (selector) => `${NODE.sourcesApart}${selector} > ${seconds(apart)}`,
    summary: 'Sources disagree about the start of host maintenance.',
    description: `The sources of host maintenance in the pool ${POOL} name starts that are more than ${formatDuration(apart)} apart; the other alerts go by the earliest. Nodes: {{ $value }}.`,
  });
}
