import { estimatedBars, lines } from './graphs.ts';
import type { Section } from './layout.ts';
import type { UnplacedPanel } from './panel.ts';

/** Google bills a million time series that are read with so many dollars, beyond the first million of a month. */
const DOLLARS_A_MILLION = 0.5;
const SECONDS_OF_30_DAYS = 30 * 86_400;

/** What is asked of Google and of Kubernetes, what it costs, and what does not go well. */
export function api(matchers: string): Section {
  const of = (name: string): string => `${name}{${matchers}}`;
  return {
    id: 101,
    title: 'Google and Kubernetes',
    lines: [
      {
        height: 8,
        panels: [
          [8, requests(of)],
          [8, latency(of)],
          [8, cost(of)],
        ],
      },
      {
        height: 8,
        panels: [
          [8, partial(of)],
          [8, watches(of)],
          [8, events(of)],
        ],
      },
      {
        height: 8,
        panels: [
          [12, unreadable(of)],
          [12, ignored(of)],
        ],
      },
    ],
  };
}

type Select = (name: string) => string;

function requests(of: Select): UnplacedPanel {
  return lines(
    {
      id: 9,
      title: 'Requests to Google',
      description:
        'Requests to Google APIs by their gRPC status or HTTP code. The quota of Cloud Monitoring is 100 a second for each project.',
      unit: 'reqps',
      noValue: 'Nothing was asked of Google: no collector that does is on',
    },
    {
      expr: `sum by (api, method, code) (rate(${of('gke_disruption_google_api_requests_total')}[$__rate_interval]))`,
      legend: '{{api}} {{method}} {{code}}',
    },
  );
}

function latency(of: Select): UnplacedPanel {
  return lines(
    {
      id: 10,
      title: 'Time of requests to Google, 95 %',
      description: 'In which time 95 of 100 requests to Google APIs are answered.',
      unit: 's',
      noValue: 'Nothing was asked of Google: no collector that does is on',
    },
    {
      expr: `histogram_quantile(0.95, sum by (api, method, le) (
  rate(${of('gke_disruption_google_api_request_duration_seconds_bucket')}[$__rate_interval])
))`,
      legend: '{{api}} {{method}}',
    },
  );
}

function cost(of: Select): UnplacedPanel {
  const read = `sum by (project_id) (rate(${of('gke_disruption_monitoring_time_series_read_total')}[$__rate_interval]))`;
  return lines(
    {
      id: 11,
      title: 'What reading costs',
      description:
        'Dollars that 30 days would cost at this pace, by project, before the free million time series of each month: $0.50 for a million time series that Cloud Monitoring returns.',
      unit: 'currencyUSD',
      decimals: 2,
      noValue: 'Nothing was read from Cloud Monitoring',
    },
    { expr: `${read} * ${SECONDS_OF_30_DAYS} * ${DOLLARS_A_MILLION} / 1e6`, legend: '{{project_id}}' },
  );
}

function partial(of: Select): UnplacedPanel {
  return estimatedBars(
    {
      id: 12,
      title: 'Incomplete answers',
      description:
        'Answers of Cloud Monitoring that lacked series and were asked for again, by project; estimated by Prometheus.',
      unit: 'short',
      noValue: 'Every answer of Cloud Monitoring was complete',
    },
    {
      expr: `sum by (project_id) (increase(${of('gke_disruption_monitoring_partial_responses_total')}[$__interval])) > 0`,
      legend: '{{project_id}}',
    },
  );
}

function watches(of: Select): UnplacedPanel {
  const count = (name: string): string =>
    `sum by (resource, reason) (increase(${of(name)}[$__interval])) > 0`;
  return estimatedBars(
    {
      id: 13,
      title: 'Watches restarted and full lists',
      description:
        'Watches of Kubernetes resources that ended and were opened again, and full lists, by reason; estimated by Prometheus. Some are normal.',
      unit: 'short',
      noValue: 'No watch ended in the time range',
    },
    {
      expr: count('gke_disruption_kubernetes_watch_restarts_total'),
      legend: '{{resource}} restart: {{reason}}',
    },
    { expr: count('gke_disruption_kubernetes_relists_total'), legend: '{{resource}} list: {{reason}}' },
  );
}

function events(of: Select): UnplacedPanel {
  return lines(
    {
      id: 14,
      title: 'Changes seen by watches',
      description: 'Changes of Kubernetes resources that watches told of, by resource and type.',
      unit: 'eps',
      noValue: 'No watch is open',
    },
    {
      expr: `sum by (resource, type) (rate(${of('gke_disruption_kubernetes_watch_events_total')}[$__rate_interval]))`,
      legend: '{{resource}} {{type}}',
    },
  );
}

function unreadable(of: Select): UnplacedPanel {
  return estimatedBars(
    {
      id: 15,
      title: 'Unreadable values',
      description:
        'Values that could not be read, by source and field, each distinct value once; estimated by Prometheus. The log has them.',
      unit: 'short',
      noValue: 'Everything could be read',
    },
    {
      expr: `sum by (source, field) (increase(${of('gke_disruption_invalid_values_total')}[$__interval])) > 0`,
      legend: '{{source}} {{field}}',
    },
  );
}

function ignored(of: Select): UnplacedPanel {
  return estimatedBars(
    {
      id: 16,
      title: 'Ignored Events',
      description:
        'Events about maintenance of nodes that are gone, by reason; estimated by Prometheus. After a node was replaced that is normal.',
      unit: 'short',
      noValue: 'No Event was ignored',
    },
    {
      expr: `sum by (reason) (increase(${of('gke_disruption_events_ignored_total')}[$__interval])) > 0`,
      legend: '{{reason}}',
    },
  );
}
