import type { AlertCase, Series, Values } from './promtool.ts';
import { between, cluster, constant, firing } from './series.ts';

/** What cannot be announced, or ends pods without grace. */
export const COVERAGE: readonly AlertCase[] = [
  {
    name: 'nodes that cannot announce maintenance, for an hour',
    minutes: 80,
    series: cluster({ notice: 'unsupported' }),
    fires: [firing('MaintenanceNotAnnounced warning', [60, 80])],
  },
  {
    name: 'graceful termination is off where there are accelerators, for an hour, and then on',
    minutes: 100,
    series: {
      ...cluster(),
      gke_cluster_graceful_termination_enabled: (minute) => (minute < 5 || minute >= 80 ? 1 : 0),
    },
    fires: [firing('GracefulTerminationOff info', [65, 80], {})],
  },
  {
    name: 'graceful termination is off where there are no accelerators',
    minutes: 80,
    series: { ...cluster({ accelerator: '' }), gke_cluster_graceful_termination_enabled: constant(0) },
    fires: [],
  },
];

const INVALID = { source: 'label', field: 'scheduled-maintenance-time' };

function invalidValue(values: Values): Series {
  return {
    'gke_disruption_invalid_values_total{source="label", field="scheduled-maintenance-time"}': values,
  };
}

/** An exporter that cannot be relied on. */
export const EXPORTER: readonly AlertCase[] = [
  {
    name: 'a collector fails for more than ten minutes',
    minutes: 60,
    series: {
      ...cluster(),
      'gke_disruption_collector_up{collector="events"}': (minute) => (minute < 10 || minute >= 40 ? 1 : 0),
    },
    fires: [firing('CollectorFailing warning', [20, 40], { collector: 'events' })],
  },
  {
    name: 'a collector has not heard from its source',
    minutes: 60,
    series: {
      ...cluster(),
      'gke_disruption_collector_last_success_timestamp_seconds{collector="monitoring"}': (minute) =>
        (minute < 10 || minute >= 40 ? minute : 10) * 60,
    },
    fires: [firing('DataStale warning', [18, 40], { collector: 'monitoring' })],
  },
  {
    name: 'answers of Cloud Monitoring are partial again and again',
    minutes: 90,
    series: {
      ...cluster(),
      'gke_disruption_monitoring_partial_responses_total{project_id="p"}': (minute) =>
        Math.max(0, Math.min(minute, 50) - 10),
    },
    fires: [firing('AnswersPartial warning', [26, 50 + 14], { project_id: 'p' })],
  },
  {
    name: 'a value cannot be read',
    minutes: 60,
    series: { ...cluster(), ...invalidValue(between(10, 100)) },
    fires: [firing('ValuesUnparsable warning', [10, 60], INVALID)],
  },
  {
    name: 'a value that could not be read an hour ago is no news, until another one cannot be read',
    minutes: 120,
    untroubled: true,
    series: { ...cluster(), ...invalidValue(between(10, 200, (minute) => (minute < 90 ? 1 : 2))) },
    fires: [
      firing('ValuesUnparsable warning', [10, 70], INVALID),
      firing('ValuesUnparsable warning', [90, 120], INVALID),
    ],
  },
  {
    name: 'one of two exporters cannot be scraped',
    minutes: 60,
    untroubled: true,
    series: { ...cluster(), 'up{pod="b"}': (minute) => (minute < 10 || minute >= 40 ? 1 : 0) },
    fires: [firing('ExporterDown warning', [15, 40], {})],
  },
  {
    name: 'the exporter of a cluster is gone, and comes back',
    minutes: 80,
    untroubled: true,
    series: { ...cluster(), up: (minute) => (minute < 20 || minute >= 60 ? 1 : undefined) },
    fires: [firing('ExporterAbsent critical', [35, 60], {})],
  },
  {
    name: 'an exporter is not there when its Prometheus starts',
    minutes: 40,
    untroubled: true,
    alone: true,
    series: {},
    fires: [firing('ExporterAbsent critical', [15, 40], { job: 'gke-disruption-exporter' })],
  },
];
