import { NODE, NODE_POOL } from '../alerts/rules/maintenance.ts';
import { valueTexts } from './panel.ts';
import { clusters, pools } from './series.ts';

/** What maintenance of a node goes through, as the values of a state timeline. */
export const PHASES = valueTexts({
  0: ['nothing', 'rgba(128, 128, 128, 0.25)'],
  1: ['scheduled', 'blue'],
  2: ['within 24 h', 'yellow'],
  3: ['within 1 h', 'orange'],
  4: ['begun, node works', 'purple'],
  5: ['in progress', 'red'],
});

/** For each pool the phase of its node that is farthest on. */
export function poolPhase(): string {
  return `max by (cluster, node_pool) (
  ${phase(pools)}
  or
  0 * ${pools(NODE_POOL.nodes)}
)`;
}

/** The phase of one node, which need not be in any. */
export function nodePhase(node: string): string {
  return `max by (node) (
  ${phase((name) => clusters(name, node))}
  or
  0 * ${clusters('gke_node_info', node)}
)`;
}

function phase(select: (name: string) => string): string {
  const startsIn = select(NODE.startsIn);
  return `5 * ${select(NODE.inProgress)}
  or
  4 * ${select(NODE.begun)}
  or
  1 + (${startsIn} < bool 86400) + (${startsIn} < bool 3600)`;
}
