import { NODE, NODE_POOL } from '../alerts/rules/maintenance.ts';
import { stateTimeline } from './graphs.ts';
import type { Section } from './layout.ts';
import { NOTHING_KNOWN, type UnplacedPanel, valueTexts } from './panel.ts';
import { clusters, countOf, pools } from './series.ts';
import { NONE_IS_GOOD, stat } from './stats.ts';

/** Whether what a dashboard shows is new, complete and not contradicted. */
export function health(): Section {
  return {
    id: 103,
    title: 'Can it be believed?',
    lines: [
      {
        height: 4,
        panels: [
          [4, exporters()],
          [4, oldestData()],
          [4, rulesAge()],
          [4, sourcesApart()],
          [8, unreadable()],
        ],
      },
      { height: 7, panels: [[24, collectors()]] },
    ],
  };
}

function exporters(): UnplacedPanel {
  return stat(
    {
      id: 15,
      title: 'Exporters',
      description: 'Exporters that Prometheus has scraped within the last five minutes.',
      unit: 'short',
      noValue: 'None is scraped',
      thresholds: [
        [null, 'red'],
        [1, 'green'],
      ],
    },
    { expr: `count(${clusters('gke_disruption_exporter_build_info')})` },
  );
}

function oldestData(): UnplacedPanel {
  return stat(
    {
      id: 16,
      title: 'Oldest source',
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
    {
      expr: `max(
  time() - max by (cluster, collector) (${clusters('gke_disruption_collector_last_success_timestamp_seconds')})
)`,
    },
  );
}

function rulesAge(): UnplacedPanel {
  return stat(
    {
      id: 17,
      title: 'Recording rules',
      description:
        'How long ago Prometheus last evaluated the recording rules that these dashboards are built on.',
      unit: 's',
      decimals: 0,
      noValue: 'Rules are not loaded',
      thresholds: [
        [null, 'green'],
        [180, 'red'],
      ],
    },
    { expr: `time() - max(timestamp(${clusters(NODE_POOL.nodes)}))` },
  );
}

function sourcesApart(): UnplacedPanel {
  return stat(
    {
      id: 18,
      title: 'Sources apart',
      description: 'Nodes of which two sources say starts of maintenance that are more than an hour apart.',
      unit: 'short',
      noValue: NOTHING_KNOWN,
      thresholds: NONE_IS_GOOD,
    },
    { expr: countOf(`${pools(NODE.sourcesApart)} > 3600`) },
  );
}

function unreadable(): UnplacedPanel {
  return stat(
    {
      id: 19,
      title: 'Unreadable values',
      description:
        'Values that Google or GKE sent in the time range and that could not be read, by source and field. Their series are absent.',
      unit: 'short',
      decimals: 0,
      noValue: 'Everything is readable',
      thresholds: NONE_IS_GOOD,
    },
    {
      expr: `topk(5, sum by (source, field) (
  increase(${clusters('gke_disruption_invalid_values_total')}[$__range])
) > 0)`,
      legend: '{{source}} {{field}}',
    },
  );
}

function collectors(): UnplacedPanel {
  return stateTimeline(
    {
      id: 20,
      title: 'Collectors',
      description:
        'Whether the latest attempt of each collector succeeded, on any replica. While one fails, what it tells is old or absent.',
      unit: 'short',
      noValue: 'No exporter is scraped',
      mappings: [valueTexts({ 0: ['fails', 'red'], 1: ['works', 'green'] })],
    },
    {
      expr: `max by (cluster, collector) (${clusters('gke_disruption_collector_up')})`,
      legend: '{{collector}} {{cluster}}',
    },
  );
}
