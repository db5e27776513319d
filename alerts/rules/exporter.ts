import { formatDuration } from '../../exporter/config/duration.ts';
import { alert, OF_CLUSTER } from '../alert.ts';
import { type Promql, seconds } from '../promql.ts';
import type { RuleGroup } from '../rule.ts';

/** Whether what the exporter says can be relied on. */
export function exporter(promql: Promql): RuleGroup {
  const { stale_data: stale } = promql.settings;
  const collector = promql.by('collector');
  return {
    name: 'gke-disruption-exporter',
    rules: [
      ...reachable(promql),
      alert(promql, {
        name: 'CollectorFailing',
        severity: 'warning',
        for: '10m',
        expr: `max ${collector} (
  ${promql.latest('gke_disruption_collector_up')}
) == 0`,
        summary: 'A collector of the disruption exporter fails.',
        description: `The collector {{ $labels.collector }}${OF_CLUSTER} has not succeeded for 10 minutes.`,
      }),
      alert(promql, {
        name: 'DataStale',
        severity: 'warning',
        // A source that is asked every five minutes may be a moment older than that.
        for: '2m',
        expr: `time() - max ${collector} (
  ${promql.latest('gke_disruption_collector_last_success_timestamp_seconds')}
) > ${seconds(stale)}`,
        summary: 'What the disruption exporter says is old.',
        description: `The collector {{ $labels.collector }}${OF_CLUSTER} last heard from its source {{ $value | humanizeDuration }} ago.`,
      }),
      ...understood(promql),
    ],
  };
}

function reachable(promql: Promql) {
  const up = `up{job="${promql.settings.exporter_job}"}`;
  return [
    alert(promql, {
      name: 'ExporterDown',
      severity: 'warning',
      for: '5m',
      expr: `count ${promql.by()} (${up} == 0)`,
      summary: 'An exporter of disruptions cannot be scraped.',
      description: `Targets of the disruption exporter${OF_CLUSTER} that cannot be scraped: {{ $value }}.`,
    }),
    alert(promql, {
      name: 'ExporterAbsent',
      severity: 'critical',
      for: '15m',
      // A cluster whose exporter was scraped within the last day, or none at all.
      expr: `group ${promql.by()} (
  last_over_time(${up}[1d])
)
unless ${promql.on()}
(${up} == 1)
or
absent(${up})`,
      summary: 'No exporter of disruptions is scraped: maintenance would go unseen.',
      description: `No disruption exporter${OF_CLUSTER} has been scraped for 15 minutes. Coming maintenance is not seen.`,
    }),
  ];
}

/** Counters of each process; what counts is whether any has risen. */
function understood(promql: Promql) {
  const [project = ''] = promql.dialect.cluster;
  const partial = promql.by(project);
  const invalid = promql.by('source', 'field');
  const count = 'gke_disruption_invalid_values_total';
  const anHourAgo = `last_over_time(${count}[${formatDuration(promql.settings.gap)}] offset 1h)`;
  return [
    alert(promql, {
      name: 'AnswersPartial',
      severity: 'warning',
      for: '15m',
      expr: `sum ${partial} (
  increase(gke_disruption_monitoring_partial_responses_total[15m])
) > 0`,
      summary: 'Answers of Cloud Monitoring are incomplete.',
      description: `Answers of Cloud Monitoring for the project {{ $labels.${project} }}${OF_CLUSTER} have lacked series for 15 minutes. Interruptions are counted late.`,
    }),
    alert(promql, {
      name: 'ValuesUnparsable',
      severity: 'warning',
      // A value that was never unreadable before makes a new series, which increase() does not see.
      expr: `sum ${invalid} (
  increase(${count}[1h]) > 0
  or
  (${promql.latest(count)} unless ${anHourAgo})
)`,
      summary: 'Something that GKE or Google sent could not be read.',
      description: `Values of {{ $labels.field }} from the source {{ $labels.source }}${OF_CLUSTER} could not be read within the last hour. Their series are absent; the log of the exporter has them.`,
    }),
  ];
}
