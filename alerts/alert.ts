import { type PoolQuery, PoolTemplates } from './annotation.ts';
import type { Promql } from './promql.ts';
import type { AlertingRule, Severity } from './rule.ts';

/** First part of the names of all alerts, by which they are found and routed. */
const PREFIX = 'GKEDisruption';

/** `a4 of cluster prod`, or `a4`. */
export const POOL = '{{ $labels.node_pool }}{{ with $labels.cluster }} of cluster {{ . }}{{ end }}';
/** ` of cluster prod`, or nothing. */
export const OF_CLUSTER = '{{ with $labels.cluster }} of cluster {{ . }}{{ end }}';

export interface AlertParameters {
  /** Without the prefix. */
  readonly name: string;
  readonly severity: Severity;
  readonly expr: string;
  readonly for?: string;
  readonly keepFiringFor?: string;
  /** One sentence without a template. */
  readonly summary: string;
  readonly description: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** An alert with the labels of the settings and its runbook. */
export function alert({ settings }: Promql, parameters: AlertParameters): AlertingRule {
  const { name, severity, expr, keepFiringFor, summary, description, annotations } = parameters;
  return {
    alert: `${PREFIX}${name}`,
    expr,
    ...(parameters.for === undefined ? {} : { for: parameters.for }),
    ...(keepFiringFor === undefined ? {} : { keep_firing_for: keepFiringFor }),
    labels: { ...settings.alert_labels, severity },
    annotations: {
      summary,
      description,
      runbook_url: `${settings.runbook_url}/${PREFIX}${name}.md`,
      ...annotations,
    },
  };
}

/** An alert about some of a pool's nodes: one for the pool, which names them. */
export interface PoolAlertParameters extends Omit<AlertParameters, 'expr'> {
  /** The nodes, each with its `node` and `node_pool`; the selector narrows the first series of the query. */
  readonly nodes: PoolQuery;
  /** What must also be true of the pool: a comparison or set operator and its right side. */
  readonly only?: string;
}

/** An alert whose value is the number of nodes of a pool that a query finds. */
export function poolAlert(promql: Promql, { nodes, only, ...parameters }: PoolAlertParameters): AlertingRule {
  const count = `count ${promql.by('node_pool')} (\n  ${nodes('').replaceAll('\n', '\n  ')}\n)`;
  return alert(promql, {
    ...parameters,
    expr: only === undefined ? count : `${count}\n${only}`,
    annotations: { nodes: new PoolTemplates(promql).names(nodes), ...parameters.annotations },
  });
}
