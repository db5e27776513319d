import { api } from './exporter-api.ts';
import { runtime } from './exporter-runtime.ts';
import { estimatedBars, lines, stateTimeline } from './graphs.ts';
import type { DashboardContent, Section } from './layout.ts';
import { UID } from './links.ts';
import type { UnplacedPanel } from './panel.ts';
import { valueTexts } from './panel.ts';
import { stat } from './stats.ts';
import { table } from './table.ts';
import { clusterVariable, datasourceVariable, queryVariable } from './variables.ts';

/** Of the exporters that are chosen. */
const EXPORTERS = 'cluster=~"$cluster", job=~"$job", instance=~"$instance"';

/** Whether the exporter itself is well, what it costs, and how much it takes. */
export function exporter(): DashboardContent {
  return {
    uid: UID.exporter,
    title: 'GKE disruption / Exporter',
    description:
      'The exporter itself: collectors, age of its data, API calls and what reading costs, watches, scrapes, memory and event loop.',
    from: 'now-6h',
    variables: [
      datasourceVariable(),
      clusterVariable(),
      queryVariable({
        name: 'job',
        label: 'Job',
        description: 'The scrape jobs that exporters are scraped by',
        query: 'label_values(gke_disruption_exporter_build_info{cluster=~"$cluster"}, job)',
        allValue: '.*',
      }),
      queryVariable({
        name: 'instance',
        label: 'Instance',
        description: 'One exporter of several; graphs show the one that is worst among the chosen',
        query: 'label_values(gke_disruption_exporter_build_info{cluster=~"$cluster", job=~"$job"}, instance)',
        allValue: '.*',
      }),
    ],
    sections: [state(), api(EXPORTERS), runtime(EXPORTERS)],
  };
}

function of(name: string): string {
  return `${name}{${EXPORTERS}}`;
}

function state(): Section {
  return {
    id: 100,
    title: 'Collectors',
    lines: [
      {
        height: 4,
        panels: [
          [4, running()],
          [4, failing()],
          [4, oldest()],
          [12, builds()],
        ],
      },
      { height: 8, panels: [[24, works()]] },
      {
        height: 8,
        panels: [
          [8, age()],
          [8, duration()],
          [8, errors()],
        ],
      },
    ],
  };
}

function running(): UnplacedPanel {
  return stat(
    {
      id: 1,
      title: 'Exporters',
      description: 'Exporters that Prometheus has scraped within the last five minutes.',
      unit: 'short',
      noValue: 'No exporter is scraped',
      thresholds: [
        [null, 'red'],
        [1, 'green'],
      ],
    },
    { expr: `count(${of('gke_disruption_exporter_build_info')})` },
  );
}

function failing(): UnplacedPanel {
  return stat(
    {
      id: 2,
      title: 'Failing collectors',
      description: 'Collectors whose latest attempt failed, on any of the chosen exporters.',
      unit: 'short',
      noValue: 'No exporter is scraped',
      thresholds: [
        [null, 'green'],
        [1, 'red'],
      ],
    },
    {
      expr: `count(min by (collector) (${of('gke_disruption_collector_up')}) == 0)
or
0 * count(${of('gke_disruption_collector_up')})`,
    },
  );
}

function oldest(): UnplacedPanel {
  return stat(
    {
      id: 3,
      title: 'Oldest data',
      description:
        'How long ago the collector that has heard nothing for longest last heard from its source.',
      unit: 's',
      decimals: 0,
      noValue: 'Nothing read yet',
      thresholds: [
        [null, 'green'],
        [300, 'red'],
      ],
    },
    { expr: `max(time() - ${of('gke_disruption_collector_last_success_timestamp_seconds')})` },
  );
}

function builds(): UnplacedPanel {
  return table(
    {
      id: 4,
      title: 'Versions',
      description: 'How many exporters of which version run on which Node.js.',
      unit: 'short',
      noValue: 'No exporter is scraped',
    },
    {
      labels: [
        { label: 'version', title: 'Version' },
        { label: 'revision', title: 'Revision' },
        { label: 'node_version', title: 'Node.js' },
      ],
      values: [
        {
          refId: 'A',
          title: 'Exporters',
          expr: `count by (version, revision, node_version) (${of('gke_disruption_exporter_build_info')})`,
        },
      ],
      order: ['Version', 'Revision', 'Node.js', 'Exporters'],
      sortBy: { title: 'Exporters', descending: true },
    },
  );
}

function works(): UnplacedPanel {
  return stateTimeline(
    {
      id: 5,
      title: 'Collectors over time',
      description: 'Whether the latest attempt of each collector succeeded on all of the chosen exporters.',
      unit: 'short',
      noValue: 'No exporter was scraped in the time range',
      mappings: [valueTexts({ 0: ['fails', 'red'], 1: ['works', 'green'] })],
    },
    { expr: `min by (collector) (${of('gke_disruption_collector_up')})`, legend: '{{collector}}' },
  );
}

function age(): UnplacedPanel {
  return lines(
    {
      id: 6,
      title: 'Age of data',
      description:
        'How long ago each collector last heard from its source: that of the chosen exporters which has heard nothing for longest.',
      unit: 's',
      noValue: 'No collector has heard from its source yet',
    },
    {
      expr: `max by (collector) (time() - ${of('gke_disruption_collector_last_success_timestamp_seconds')})`,
      legend: '{{collector}}',
    },
  );
}

function duration(): UnplacedPanel {
  return lines(
    {
      id: 7,
      title: 'Time of a full reading',
      description:
        'How long the latest full reading of each collector took, on the slowest of the chosen exporters.',
      unit: 's',
      noValue: 'No collector has read its source yet',
    },
    {
      expr: `max by (collector) (${of('gke_disruption_collector_duration_seconds')})`,
      legend: '{{collector}}',
    },
  );
}

function errors(): UnplacedPanel {
  return estimatedBars(
    {
      id: 8,
      title: 'Failed attempts',
      description: 'Failed attempts of collectors in each bar, by reason; estimated by Prometheus.',
      unit: 'short',
      noValue: 'No attempt of a collector failed in the time range',
    },
    {
      expr: `sum by (collector, reason) (increase(${of('gke_disruption_collector_errors_total')}[$__interval])) > 0`,
      legend: '{{collector}}: {{reason}}',
    },
  );
}
