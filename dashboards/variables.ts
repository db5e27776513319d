import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  type VariableModel,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';

const DATASOURCE_VARIABLE = 'datasource';

/** The data source that is chosen at the top of the dashboard: one dashboard for every Prometheus. */
export const DATASOURCE = { type: 'prometheus', uid: `\${${DATASOURCE_VARIABLE}}` } as const;

interface QueryVariable {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly query: string;
  /** What All stands for. Without it, for each of the options. */
  readonly allValue?: string;
  /** Exactly one value is chosen, and there is no All. */
  readonly single?: boolean;
}

/** Which Prometheus is asked. */
export function datasourceVariable(): Builder<VariableModel> {
  return new DatasourceVariableBuilder(DATASOURCE_VARIABLE)
    .label('Data source')
    .description('The Prometheus that scrapes the exporter and evaluates its recording rules')
    .type('prometheus')
    .multi(false)
    .includeAll(false);
}

/** A variable whose options are the values of a label, asked for anew when the time range changes. */
export function queryVariable(variable: QueryVariable): Builder<VariableModel> {
  const builder = new QueryVariableBuilder(variable.name)
    .label(variable.label)
    .description(variable.description)
    .datasource(DATASOURCE)
    .query({ query: variable.query, refId: `variable-${variable.name}` })
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.NaturalAsc);
  if (variable.single === true) return builder.multi(false).includeAll(false);
  builder.multi(true).includeAll(true).current({ selected: true, text: 'All', value: '$__all' });
  return variable.allValue === undefined ? builder : builder.allValue(variable.allValue);
}

/** All clusters include those whose series have no such label: a Prometheus that only knows one often sets none. */
export function clusterVariable(): Builder<VariableModel> {
  return queryVariable({
    name: 'cluster',
    label: 'Cluster',
    description: 'The label cluster, which Prometheus sets; All also where there is none',
    query: 'label_values(gke_node_pool_nodes, cluster)',
    allValue: '.*',
  });
}

/** Narrows the node pools that can be chosen; All are also those without any. */
function acceleratorVariable(): Builder<VariableModel> {
  return queryVariable({
    name: 'accelerator',
    label: 'Accelerator',
    description: 'Only node pools with these GPUs or TPUs',
    query: 'label_values(gke_node_info{cluster=~"$cluster", accelerator!=""}, accelerator)',
    allValue: '.*',
  });
}

/**
 * The node pools of the chosen clusters that have the chosen accelerators. All stands for each of them, so that a chosen
 * accelerator narrows every query without costing it a join with all nodes. Of pools whose nodes nobody tells of, interruptions
 * are told nevertheless; they count while no accelerator is chosen.
 */
function nodePoolVariable(): Builder<VariableModel> {
  return queryVariable({
    name: 'node_pool',
    label: 'Node pool',
    description: 'Node pools of the chosen clusters with the chosen accelerators',
    query:
      'label_values({__name__=~"gke_node_pool_nodes|gke_node_info|node_pool:gke_node_pool_interruptions:max", cluster=~"$cluster", accelerator=~"$accelerator"}, node_pool)',
  });
}

/** The variables of every dashboard about nodes. */
export function nodeVariables(): readonly Builder<VariableModel>[] {
  return [datasourceVariable(), clusterVariable(), acceleratorVariable(), nodePoolVariable()];
}
