import { alert, OF_CLUSTER, POOL, poolAlert } from '../alert.ts';
import type { Promql } from '../promql.ts';
import type { RuleGroup } from '../rule.ts';
import { NODE_POOL } from './maintenance.ts';

const NOT_ANNOUNCED = 'node:gke_node_maintenance_not_announced:group';

/** What cannot be announced, or will end pods without grace: known before it happens. */
export function coverage(promql: Promql): RuleGroup {
  const info = 'gke_node_info{live_migration="unsupported", maintenance_notice="unsupported"}';
  return {
    name: 'gke-disruption-coverage',
    interval: '1m',
    rules: [
      {
        record: NOT_ANNOUNCED,
        expr: `group ${promql.by('node', 'node_pool')} (\n  ${promql.latest(info)}\n)`,
      },
      poolAlert(promql, {
        name: 'MaintenanceNotAnnounced',
        severity: 'warning',
        for: '1h',
        nodes: (selector) => `${NOT_ANNOUNCED}${selector}`,
        summary: 'Nodes cannot announce host maintenance.',
        description: `Nodes of the pool ${POOL} are stopped for host maintenance, since their machine type cannot be live migrated, and their GKE version does not announce it. Nodes: {{ $value }}.`,
      }),
      alert(promql, {
        name: 'GracefulTerminationOff',
        severity: 'info',
        for: '1h',
        expr: `max ${promql.by()} (
  ${promql.latest('gke_cluster_graceful_termination_enabled')}
) == 0
and ${promql.on()}
${NODE_POOL.accelerator}`,
        summary: 'Graceful termination is off in a cluster with accelerators.',
        description: `GKE does not end pods gracefully before host maintenance of nodes${OF_CLUSTER}, and there are GPU or TPU node pools.`,
      }),
    ],
  };
}
