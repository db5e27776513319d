import { alert, OF_CLUSTER, POOL, poolAlert } from '../alert.ts';
import { indent, type Promql } from '../promql.ts';
import type { AlertingRule, RecordingRule, RuleGroup } from '../rule.ts';
import { NODE, NODE_POOL, SPOT } from './maintenance.ts';

const UNEXPECTED = 'node:gke_node_last_unexpected_interruption_timestamp_seconds:max';
const WITHOUT_NOTICE = 'node:gke_node_interrupted_without_notice:group';
const IN_WINDOW = 'node_pool:gke_node_pool_interruptions_in_window:sum';
const POOL_OF_CLUSTER = 'cluster_node_pool:gke_node_pool_nodes:max';

/** Interruptions of node pools and nodes, and which of them somebody has to know of. */
export function interruptions(promql: Promql): RuleGroup {
  return {
    name: 'gke-disruption-interruptions',
    interval: '1m',
    rules: [
      inWindow(promql),
      poolOfCluster(promql),
      unexpected(promql),
      withoutNoticeRecording(promql),
      withoutNotice(promql),
      repeatedly(promql),
      preemptionStorm(promql),
      rateHigh(promql),
    ],
  };
}

/** Averages over days, which need not be new every minute. */
export function interruptionAverages(promql: Promql): RuleGroup {
  return {
    name: 'gke-disruption-interruption-averages',
    interval: '5m',
    rules: (['7d', '28d'] as const).map((window) => hoursPerInterruption(promql, window)),
  };
}

/** The labels that name a cluster and one of its node pools, whoever tells of it. */
function clusterAndPool({ dialect }: Promql): string {
  return [...dialect.cluster, 'node_pool'].join(', ');
}

/** The exact number of interruptions in a trailing window: of several replicas the highest, over all causes. */
function countInWindow(promql: Promql, selector: string, window = ''): string {
  const labels = [...promql.dialect.cluster, 'node_pool', ...(window === '' ? ['window'] : [])];
  const series = promql.latest(`gke_node_pool_interruptions_in_window${selector}`);
  return `sum ${promql.by(...labels)} (
  max ${promql.by(...labels, 'interruption_type', 'interruption_reason')} (
    ${series}
  )
)`;
}

function inWindow(promql: Promql): RecordingRule {
  return { record: IN_WINDOW, expr: countInWindow(promql, '') };
}

/**
 * The nodes of a pool with the labels by which interruptions name its cluster, so that a hub that reads Cloud Monitoring for many
 * clusters can be matched. Where several clusters are not told apart, none is: it never is many to many.
 */
function poolOfCluster(promql: Promql): RecordingRule {
  const cluster = `group ${promql.by(...promql.dialect.cluster)} (${promql.latest('gke_cluster_info')})`;
  return {
    record: POOL_OF_CLUSTER,
    expr: `${NODE_POOL.nodes}
* ${promql.on()} group_left (${promql.dialect.cluster.filter((label) => !promql.dialect.scope.includes(label)).join(', ')})
(
  ${cluster}
  and ${promql.on()}
  count ${promql.by()} (
    ${cluster}
  ) == 1
)`,
  };
}

/** Node hours per interruption; absent where there was none. */
function hoursPerInterruption(promql: Promql, window: '7d' | '28d'): RecordingRule {
  const hours = { '7d': 7 * 24, '28d': 28 * 24 }[window];
  const labels = clusterAndPool(promql);
  return {
    record: `node_pool:gke_node_hours_per_interruption:${window}`,
    expr: `avg_over_time(${POOL_OF_CLUSTER}[${window}:1h]) * ${hours}
/ on (${labels}) group_left ()
(max by (${labels}) (${IN_WINDOW}{window="${window}"}) > 0)`,
  };
}

/**
 * For 15 minutes after a host error, or a preemption of what is not Spot: when it was. Cloud Monitoring tells within minutes, and
 * by then the Node may be gone: which pool it was in is looked up as far back.
 */
function unexpected(promql: Promql): RecordingRule {
  const last = (matchers: string, pools: string): string =>
    `group ${promql.by('node', 'node_pool')} (
  last_over_time(gke_node_info${pools}[15m])
)
* ${promql.on('node')} group_left ()
(
  max ${promql.by('node')} (
    ${promql.latest(`gke_node_last_interruption_timestamp_seconds{${matchers}}`)}
  )
  > time() - 900
)`;
  return {
    record: UNEXPECTED,
    expr: `${last('interruption_reason="HostError"', '')}
or
${last('interruption_type="PreemptionEvent"', `{provisioning!~"${SPOT}"}`)}`,
  };
}

/** Of those, the nodes for which there was no record of maintenance before it, an hour back. */
function withoutNoticeRecording(promql: Promql): RecordingRule {
  const node = promql.on('node');
  return {
    record: WITHOUT_NOTICE,
    expr: `group ${promql.by('node', 'node_pool')} (
  ${UNEXPECTED}
  unless ${node}
  (
    ${UNEXPECTED}
    > ${node} group_left ()
    min ${promql.by('node')} (last_over_time(${NODE.firstSeen}[1h]))
  )
)`,
  };
}

function withoutNotice(promql: Promql): AlertingRule {
  return poolAlert(promql, {
    name: 'InterruptionWithoutNotice',
    severity: 'warning',
    nodes: (selector) => `max_over_time(${WITHOUT_NOTICE}${selector}[1h])`,
    summary: 'Nodes were interrupted without notice.',
    description: `Host errors, or preemptions of what is not Spot, interrupted nodes of the pool ${POOL} in the last hour, and no maintenance had been announced. Nodes: {{ $value }}.`,
  });
}

function repeatedly(promql: Promql): AlertingRule {
  const { node_interruptions: limit } = promql.settings;
  const labels = promql.by(...promql.dialect.cluster, 'node');
  return alert(promql, {
    name: 'NodeInterruptedRepeatedly',
    severity: 'warning',
    expr: `sum ${labels} (
  sum_over_time(node:gke_node_interruptions:difference{interruption_type!="PreemptionEvent"}[1d])
) >= ${limit}`,
    summary: 'A node was interrupted again and again within 24 hours.',
    description: `The node {{ $labels.node }}${OF_CLUSTER} was interrupted {{ $value }} times within 24 hours.`,
    annotations: { command: 'kubectl describe node {{ $labels.node }}' },
  });
}

/** Measured by what the pool was at its largest within the hour: when the storm is told, it may have no node left. */
function preemptionStorm(promql: Promql): AlertingRule {
  const { share, nodes } = promql.settings.preemption_storm;
  const labels = clusterAndPool(promql);
  const largest = `max_over_time(${POOL_OF_CLUSTER}[1h])`;
  const preemptions = `${largest} * 0 + on (${labels}) group_left ()
max by (${labels}) (
  ${indent(countInWindow(promql, '{window="1h", interruption_type="PreemptionEvent"}', '1h'))}
)`;
  return alert(promql, {
    name: 'SpotPreemptionStorm',
    severity: 'warning',
    keepFiringFor: '15m',
    expr: `(
  ${indent(preemptions)}
) >= ${nodes}
and
(
  ${indent(preemptions)}
) / ${largest} >= ${share}
and ${promql.on('node_pool')}
max_over_time(${NODE_POOL.spot}[1h])`,
    summary: 'A large part of a Spot node pool was preempted within an hour.',
    description: `Preemptions in the Spot pool ${POOL} within an hour: {{ $value }}.`,
  });
}

/** Upgrades and changes of size are the operator's own doing. */
function rateHigh(promql: Promql): AlertingRule {
  const { factor, interruptions: least } = promql.settings.interruption_rate;
  const unplanned = 'interruption_reason!~"AutoUpgrade|AutoResize"';
  const day = countInWindow(promql, `{window="24h", ${unplanned}}`, '24h');
  const week = countInWindow(promql, `{window="7d", ${unplanned}}`, '7d');
  return alert(promql, {
    name: 'InterruptionRateHigh',
    severity: 'warning',
    keepFiringFor: '15m',
    expr: `${day} >= ${least}
and
${day}
> ${factor} / 6 * (
  ${indent(week)}
  -
  ${indent(day)}
)`,
    summary: 'A node pool is interrupted far more often than it used to be.',
    description: `Interruptions of the pool ${POOL} within 24 hours: {{ $value }}, more than ${factor} times the daily average of the six days before.`,
  });
}
