import { NODE_POOL } from '../alerts/rules/maintenance.ts';

/** What is chosen at the top of a dashboard, as label matchers. */
const CLUSTER = 'cluster=~"$cluster"';
const POOLS = `${CLUSTER}, node_pool=~"$node_pool"`;

/** Recorded by the rules about interruptions. */
export const INTERRUPTION = {
  nodePool: 'node_pool:gke_node_pool_interruptions:difference',
  node: 'node:gke_node_interruptions:difference',
  withoutNotice: 'node:gke_node_interrupted_without_notice:group',
  hours7d: 'node_pool:gke_node_hours_per_interruption:7d',
  hours28d: 'node_pool:gke_node_hours_per_interruption:28d',
  nodesOfCluster: 'cluster_node_pool:gke_node_pool_nodes:max',
} as const;

/** The labels that name an interrupted resource, whoever tells of it: a local exporter, a second one, or one for many clusters. */
const CLUSTER_NAME = 'project_id, location, cluster_name';
const CAUSE = 'interruption_type, interruption_reason';

/**
 * Interruptions of node pools in a range, a whole number: the recording has one sample a minute, each the number in that minute.
 * `increase()` would extrapolate. Whoever tells of the same interruption tells it once.
 */
export function poolInterruptions(by: readonly string[], range: string, matchers = ''): string {
  const labels = [
    ...new Set(['node_pool', CLUSTER_NAME, CAUSE, ...by.filter((label) => label === 'cluster')]),
  ];
  return `${sum(by)} (
  max by (${labels.join(', ')}) (
    sum_over_time(${pools(INTERRUPTION.nodePool, matchers)}[${range}])
  )
)`;
}

/** Interruptions of nodes in a range, as a whole number like those of node pools. The recording does not know the node pool. */
export function nodeInterruptions(by: readonly string[], range: string, matchers = ''): string {
  return `${sum(by)} (
  max by (cluster, node, ${CLUSTER_NAME}, ${CAUSE}) (
    sum_over_time(${clusters(INTERRUPTION.node, matchers)}[${range}])
  )
)`;
}

/** The series of a name that belong to the chosen node pools. */
export function pools(name: string, matchers = ''): string {
  return `${name}{${selector(POOLS, matchers)}}`;
}

/** The series of a name that belong to the chosen clusters. */
export function clusters(name: string, matchers = ''): string {
  return `${name}{${selector(CLUSTER, matchers)}}`;
}

/** How many there are; 0 rather than nothing while anything is known of the node pools. */
export function countOf(query: string): string {
  return `count(${query})\nor\n0 * sum(${pools(NODE_POOL.nodes)})`;
}

/** A static property of nodes is told by every replica: once is enough. */
export function nodesBy(labels: readonly string[], matchers = ''): string {
  return `group by (${labels.join(', ')}) (${pools('gke_node_info', matchers)})`;
}

/** Indents all lines but the first, to put a query into another one. */
export function inner(query: string, spaces = 2): string {
  return query.replaceAll('\n', `\n${' '.repeat(spaces)}`);
}

function sum(by: readonly string[]): string {
  return by.length === 0 ? 'sum' : `sum by (${by.join(', ')})`;
}

function selector(...matchers: readonly string[]): string {
  return matchers.filter((matcher) => matcher !== '').join(', ');
}
