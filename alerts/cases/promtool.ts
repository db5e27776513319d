import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { PROMETHEUS } from '../dialect.ts';
import { ruleGroups } from '../rules/groups.ts';
import { DEFAULT_SETTINGS, readSettings } from '../settings.ts';

/** The value of a series at a minute; undefined where it is absent. */
export type Values = (minute: number) => number | undefined;

/** What Prometheus stores in the course of a case: values by series, without what tells exporters and clusters apart. */
export type Series = Readonly<Record<string, Values>>;

/** That an alert fires from a minute on, until another one. */
export interface Firing {
  readonly alert: string;
  /** Beside alertname, and cluster where there is one. */
  readonly labels: Readonly<Record<string, string>>;
  readonly from: number;
  /** Exclusive. */
  readonly until: number;
}

/** What happens in a cluster, and which alerts fire when: these and no others. */
export interface AlertCase {
  /** A sentence. */
  readonly name: string;
  readonly minutes: number;
  readonly series: Series;
  readonly fires: readonly Firing[];
  /** Minutes at which what a rule recorded is at the edge of a range: in it for Prometheus 2, and not for Prometheus 3. */
  readonly atEdge?: readonly number[];
  /** Without what may go wrong in between, where that changes how long an alert fires, or the case is long. */
  readonly untroubled?: true;
  /** Without another cluster, and without the label that would tell them apart. */
  readonly alone?: true;
}

/** What may go wrong between exporter and Prometheus, and must change no alert. */
interface Trouble {
  readonly name: string;
  /** The instances of the exporter; each has the values that it has at a minute, or none. */
  readonly instances: readonly ((minute: number, breakAt: number) => boolean)[];
  readonly cluster: string | undefined;
  /** Whether an instance that gives no values is still there to be scraped. */
  readonly targetStays?: true;
}

const always = (): boolean => true;

const TROUBLES: readonly Trouble[] = [
  { name: 'one exporter', instances: [always], cluster: 'prod' },
  { name: 'without a cluster label', instances: [always], cluster: undefined },
  { name: 'a missed scrape', instances: [(minute, at) => minute !== at], cluster: 'prod', targetStays: true },
  {
    name: 'a restart: a new pod after three minutes',
    instances: [(minute, at) => minute < at, (minute, at) => minute >= at + 3],
    cluster: 'prod',
  },
  { name: 'two replicas', instances: [always, always], cluster: 'prod' },
];

const RULES = fileURLToPath(new URL('../generated/prometheus.rules.yml', import.meta.url));

const GROUPS = ruleGroups(readSettings(DEFAULT_SETTINGS), PROMETHEUS).map(({ name }) => name);

/** The annotations of each alert when it begins to fire, by name and severity. */
export type Annotations = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** The case as a file of `promtool test rules`, with each trouble soon after the first alert fires. */
export function promtoolTests(each: AlertCase, annotations: Annotations): string {
  const troubles = each.untroubled === true ? TROUBLES.slice(0, 1) : TROUBLES;
  return stringify(
    {
      rule_files: [RULES],
      evaluation_interval: '1m',
      // Without it promtool takes the groups in any order, and what one needs of another may be a minute late.
      group_eval_order: GROUPS,
      tests: troubles.map((trouble) => promtoolTest(each, trouble, annotations)),
    },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
}

function promtoolTest(each: AlertCase, trouble: Trouble, annotations: Annotations) {
  const { minutes, fires, series, atEdge = [] } = each;
  const minuteList = Array.from({ length: minutes }, (_, minute) => minute);
  const breakAt = (fires[0]?.from ?? 0) + 4;
  const missing = (name: string) => (name === 'up' && trouble.targetStays === true ? 0 : undefined);
  const cluster = trouble.cluster === undefined || each.alone === true ? {} : { cluster: trouble.cluster };
  return {
    name: `${each.name} (${trouble.name})`,
    interval: '30s',
    input_series: [
      ...trouble.instances.flatMap((has, index) =>
        Object.entries(series).map(([name, valuesOf]) => ({
          series: withLabels(name, {
            ...cluster,
            job: 'gke-disruption-exporter',
            instance: `10.0.0.${index}:9453`,
          }),
          values: valuesText(
            minuteList.map((minute) => (has(minute, breakAt) ? valuesOf(minute) : missing(name))),
          ),
        })),
      ),
      ...(each.alone === true ? [] : elsewhere(minuteList)),
    ],
    promql_expr_test: minuteList
      .filter((minute) => !atEdge.includes(minute))
      .map((minute) => ({
        expr: 'ALERTS{alertstate="firing"}',
        eval_time: `${minute}m`,
        exp_samples: fires
          .filter((firing) => firing.from <= minute && minute < firing.until)
          .map(({ alert, labels }) => ({
            labels: withLabels('ALERTS', { alertname: alert, alertstate: 'firing', ...cluster, ...labels }),
            value: 1,
          })),
      })),
    alert_rule_test: trouble === TROUBLES[0] ? alertRuleTest(each, cluster, annotations) : [],
  };
}

/** All of the first alert's name, with their exact annotations if they are given. */
function alertRuleTest({ fires }: AlertCase, cluster: object, annotations: Annotations) {
  const [first] = fires;
  if (first === undefined || !annotations.has(`${first.alert} ${first.labels.severity}`)) return [];
  return [
    {
      eval_time: `${first.from}m`,
      alertname: first.alert,
      exp_alerts: fires
        .filter(({ alert, from, until }) => alert === first.alert && from <= first.from && first.from < until)
        .map(({ alert, labels }) => ({
          exp_labels: { ...cluster, ...labels },
          exp_annotations: annotations.get(`${alert} ${labels.severity}`) ?? {},
        })),
    },
  ];
}

/** Another cluster, in which nodes and pools of the same names are well all the time. */
function elsewhere(minutes: readonly number[]) {
  const healthy: Series = {
    ...exporterSeries(),
    'gke_node_pool_nodes{node_pool="a4"}': () => 4,
    'gke_node_info{node="a4-1", node_pool="a4", accelerator="nvidia-b200", provisioning="standard"}': () => 1,
  };
  return Object.entries(healthy).map(([name, valuesOf]) => ({
    series: withLabels(name, { cluster: 'other', job: 'gke-disruption-exporter', instance: '10.1.0.1:9453' }),
    values: valuesText(minutes.map(valuesOf)),
  }));
}

/** An exporter that works. */
export function exporterSeries(): Series {
  return {
    up: () => 1,
    'gke_disruption_collector_up{collector="nodes"}': () => 1,
    'gke_disruption_collector_last_success_timestamp_seconds{collector="nodes"}': (minute) => minute * 60,
    'gke_cluster_info{project_id="p", location="l", cluster_name="c"}': () => 1,
    gke_cluster_graceful_termination_enabled: () => 1,
    'gke_disruption_monitoring_partial_responses_total{project_id="p"}': () => 0,
  };
}

/** `name{a="b"}` with more labels. */
function withLabels(series: string, labels: Readonly<Record<string, string>>): string {
  const added = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  const [name = '', rest = ''] = series.split(/\{(?<rest>.*)\}$/u);
  return `${name}{${[...(rest === '' ? [] : [rest]), ...added].join(', ')}}`;
}

/**
 * Promtool's notation, for a value each minute. Where values end, Prometheus writes a marker of staleness.
 *
 * From the second on each is scraped half a minute before the rules are evaluated: a sample at the very edge of a range
 * is in it for Prometheus 2, and is not for Prometheus 3
 * (https://prometheus.io/docs/prometheus/latest/migration/#range-selectors-and-lookback-exclude-samples-coinciding-with-the-left-boundary).
 */
function valuesText(values: readonly (number | undefined)[]): string {
  return values
    .map((value, minute) => value ?? (values[minute - 1] === undefined ? '_' : 'stale'))
    .flatMap((text, minute) => (minute < 2 ? [text] : ['_', text]))
    .join(' ');
}
