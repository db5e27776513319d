import { AnnotationQueryBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { NODE } from '../alerts/rules/maintenance.ts';
import { bars, lines, stateTimeline } from './graphs.ts';
import type { DashboardContent, Section } from './layout.ts';
import { UID } from './links.ts';
import { NODE_MATCHER, nodeFacts, nodeTables } from './node-tables.ts';
import { type UnplacedPanel, valueTexts } from './panel.ts';
import { nodePhase, PHASES } from './phases.ts';
import { clusters, nodeInterruptions } from './series.ts';
import { NEUTRAL, stat } from './stats.ts';
import { DATASOURCE, nodeVariables, queryVariable } from './variables.ts';

/** Everything that is known of one node. */
export function node(): DashboardContent {
  return {
    uid: UID.node,
    title: 'GKE disruption / Node',
    description:
      'One node: what it is, what maintenance it has, what it went through and what interrupted it.',
    from: 'now-24h',
    variables: [
      ...nodeVariables(),
      queryVariable({
        name: 'node',
        label: 'Node',
        description: 'Nodes of the chosen pools that were there in the time range',
        query: 'label_values(gke_node_info{cluster=~"$cluster", node_pool=~"$node_pool"}, node)',
        single: true,
      }),
    ],
    annotations: annotations(),
    sections: [inShort(), history(), nodeTables()],
  };
}

/** Instants that are told by a series' value, and spans in which a series is there: they begin and end where a state changes. */
function annotations(): readonly AnnotationQueryBuilder[] {
  const instants = [
    ['Events of GKE', 'blue', '{{event}}', 'gke_node_last_maintenance_event_timestamp_seconds', 'event'],
    [
      'Interruptions',
      'red',
      '{{interruption_type}} {{interruption_reason}}',
      'gke_node_last_interruption_timestamp_seconds',
      'interruption_type, interruption_reason',
    ],
  ] as const;
  const spans = [
    ['In progress', 'orange', 'Maintenance in progress', of(NODE.inProgress)],
    ['Termination impending', 'purple', 'Termination impending', of(NODE.terminationImpending)],
  ] as const;
  return [
    ...instants.map(([name, color, title, series, labels]) =>
      annotation(name, color, title, `max by (node, ${labels}) (${of(series)}) * 1000`).useValueForTime(true),
    ),
    ...spans.map(([name, color, title, expr]) => annotation(name, color, title, expr)),
  ];
}

/** Older releases look for the query itself, newer ones for a target. */
function annotation(
  ...[name, color, title, expr]: readonly [string, string, string, string]
): AnnotationQueryBuilder {
  return new AnnotationQueryBuilder()
    .name(name)
    .datasource(DATASOURCE)
    .enable(true)
    .iconColor(color)
    .titleFormat(title)
    .textFormat('{{node}}')
    .expr(expr)
    .target(new DataqueryBuilder().refId('Anno').datasource(DATASOURCE).expr(expr).interval('1m').range());
}

function of(series: string): string {
  return clusters(series, NODE_MATCHER);
}

function inShort(): Section {
  return {
    id: 100,
    title: '$node',
    lines: [
      {
        height: 4,
        panels: [
          [4, phaseNow()],
          [4, startsIn()],
          [4, ready()],
          [4, canBeStarted()],
          [4, counted()],
          [4, last()],
        ],
      },
      { height: 4, panels: [[24, nodeFacts()]] },
    ],
  };
}

function phaseNow(): UnplacedPanel {
  return stat(
    {
      id: 1,
      title: 'Maintenance',
      description: 'What maintenance of this node has come to.',
      unit: 'short',
      noValue: 'No such node now',
      mappings: [PHASES],
      thresholds: NEUTRAL,
    },
    { expr: nodePhase(NODE_MATCHER) },
  );
}

function startsIn(): UnplacedPanel {
  return stat(
    {
      id: 2,
      title: 'Window opens',
      description:
        'When the maintenance window of this node opens or has opened, by the source that says the earliest instant.',
      unit: 'dateTimeFromNow',
      noValue: 'No maintenance',
      thresholds: NEUTRAL,
    },
    { expr: `max(${of(NODE.start)}) * 1000` },
  );
}

function ready(): UnplacedPanel {
  return stat(
    {
      id: 3,
      title: 'Ready',
      description: 'Whether the node is Ready. Told only while there is maintenance.',
      unit: 'short',
      noValue: 'Only told in maintenance',
      mappings: [valueTexts({ 0: ['not Ready', 'red'], 1: ['Ready', 'green'] })],
      thresholds: NEUTRAL,
    },
    { expr: `min(${of(NODE.ready)})` },
  );
}

function canBeStarted(): UnplacedPanel {
  return stat(
    {
      id: 4,
      title: 'Can be started early',
      description:
        'Whether the maintenance can be started now, with the label cloud.google.com/perform-maintenance=true.',
      unit: 'short',
      noValue: 'No source says so',
      mappings: [valueTexts({ 0: ['no', 'orange'], 1: ['yes', 'green'] })],
      thresholds: NEUTRAL,
    },
    { expr: `min(${of(NODE.canReschedule)})` },
  );
}

function counted(): UnplacedPanel {
  return stat(
    {
      id: 5,
      title: 'Interruptions in the range',
      description: 'Interruptions of this node that GKE counted in the time range.',
      unit: 'short',
      decimals: 0,
      noValue: 'None in recent days',
      thresholds: NEUTRAL,
    },
    { expr: nodeInterruptions([], '$__range', NODE_MATCHER) },
  );
}

function last(): UnplacedPanel {
  return stat(
    {
      id: 6,
      title: 'Last interruption',
      description: 'When this node was interrupted last, as far back as the exporter keeps nodes.',
      unit: 'dateTimeFromNow',
      noValue: 'None in recent days',
      thresholds: NEUTRAL,
    },
    { expr: `max(${of('gke_node_last_interruption_timestamp_seconds')}) * 1000` },
  );
}

function history(): Section {
  return {
    id: 101,
    title: 'What it went through',
    lines: [
      { height: 10, panels: [[24, lifeCycle()]] },
      {
        height: 8,
        panels: [
          [12, interruptionBars()],
          [12, windowOverTime()],
        ],
      },
    ],
  };
}

/** Each lane is one thing that is told of a node: there, or not. */
const LANES = [
  ['window open', NODE.windowOpen],
  ['termination impending', NODE.terminationImpending],
  ['asked to start now', 'gke_node_perform_maintenance_requested'],
  ['started when idle', 'gke_node_opportunistic_maintenance_triggered'],
] as const;

function lifeCycle(): UnplacedPanel {
  const yes = (series: string): string => `max by (node) (${of(series)}) + 5`;
  return stateTimeline(
    {
      id: 7,
      title: 'Life cycle',
      description:
        'The time line of the node: what maintenance came to, whether the node was Ready, and what GKE and operators did. Annotations mark where states change, what GKE wrote as Events, and interruptions.',
      unit: 'short',
      noValue: 'There was no such node in the time range',
      mappings: [
        PHASES,
        valueTexts({
          6: ['yes', 'orange'],
          7: ['not Ready', 'red'],
          8: ['Ready', 'green'],
          9: ['preempted', 'red'],
        }),
      ],
    },
    { expr: nodePhase(NODE_MATCHER), legend: 'maintenance' },
    { expr: `min by (node) (${of(NODE.ready)}) + 7`, legend: 'node' },
    ...LANES.map(([legend, series]) => ({ expr: yes(series), legend })),
    { expr: `max by (node) (${of('gke_node_preempted')} == 1) + 8`, legend: 'preemption' },
  );
}

function interruptionBars(): UnplacedPanel {
  return bars(
    {
      id: 8,
      title: 'Interruptions',
      description:
        'Interruptions of this node in each bar, by type and reason. Each counts six minutes after it ended.',
      unit: 'short',
      noValue: 'No interruption of this node in the time range',
    },
    {
      expr: `${nodeInterruptions(['interruption_type', 'interruption_reason'], '$__interval', NODE_MATCHER)} > 0`,
      legend: '{{interruption_type}} {{interruption_reason}}',
    },
  );
}

function windowOverTime(): UnplacedPanel {
  return lines(
    {
      id: 9,
      title: 'Window opens in, by source',
      description:
        'How long it is until the maintenance window opens, as each source says. A step is a maintenance that was moved; lines apart are sources that disagree.',
      unit: 's',
      noValue: 'No maintenance was announced in the time range',
    },
    {
      expr: `min by (source) (${of('gke_node_maintenance_window_start_timestamp_seconds')}) - time()`,
      legend: '{{source}}',
    },
  );
}
