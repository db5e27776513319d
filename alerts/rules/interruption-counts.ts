import type { Promql } from '../promql.ts';
import type { RecordingRule, RuleGroup } from '../rule.ts';

interface Kind {
  /** The level in the names of recording rules, and the label that names who is interrupted. */
  readonly label: 'node' | 'node_pool';
  readonly counter: string;
  readonly googleName: string;
}

const KINDS: readonly Kind[] = [
  {
    label: 'node',
    counter: 'gke_node_interruptions',
    googleName: 'kubernetes_io:node_interruption_count',
  },
  {
    label: 'node_pool',
    counter: 'gke_node_pool_interruptions',
    googleName: 'kubernetes_io:node_pool_interruption_count',
  },
];

/**
 * Interruptions of each minute, so that sum_over_time() over any range is a whole number. Where nobody else has them, also under
 * the names of Google's Managed Service for Prometheus, so that the queries of Google's documentation work unchanged.
 *
 * Each minute the counter is compared with what it was at the last evaluation that saw one, up to an hour back: nothing is lost
 * when an evaluation is late or missing, or when every exporter is away for less than an hour.
 */
export function interruptionCounts(promql: Promql): RuleGroup {
  return {
    name: 'gke-disruption-interruption-counts',
    interval: '1m',
    rules: KINDS.flatMap((kind) => [
      ...differences(promql, kind),
      ...(promql.dialect.recordsGoogleNames ? [underGoogleName(kind)] : []),
    ]),
  };
}

/**
 * A counter that falls, but not to 0, is a replica that read a late point after another one did, which was then lost: what was
 * seen stays. Only where there was no counter a minute ago is it the end of an era that nobody saw: an era ends with five minutes
 * of 0.
 */
function differences(promql: Promql, { label, counter }: Kind): readonly RecordingRule[] {
  const now = `${label}:${counter}:max`;
  const lastSeen = `${label}:${counter}:last_seen`;
  const before = `last_over_time(${lastSeen}[1h])`;
  const returned = `(${now} unless ${now} offset 1m)`;
  const labels = promql.by(...promql.dialect.cluster, 'interruption_type', 'interruption_reason', label);
  return [
    { record: now, expr: `max ${labels} (\n  ${counter}_total\n)` },
    {
      record: `${label}:${counter}:difference`,
      expr: `${now} - ${before} >= 0\nor\n${returned} < ${before}\nor\n0 * ${now}`,
    },
    {
      record: lastSeen,
      expr: `${now} == 0\nor\n${returned}\nor\n${before} > ${now}\nor\n${now}`,
    },
  ];
}

function underGoogleName({ label, counter, googleName }: Kind): RecordingRule {
  return {
    record: googleName,
    labels: { monitored_resource: `k8s_${label}` },
    expr: `max without (${label}) (
  label_replace(${label}:${counter}:difference, "${label}_name", "$1", "${label}", "(.*)")
)`,
  };
}
