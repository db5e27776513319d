import { NODE, NODE_POOL } from '../alerts/rules/maintenance.ts';
import { areas, barChart, stateTimeline } from './graphs.ts';
import type { DashboardContent, Section } from './layout.ts';
import { UID } from './links.ts';
import { NONE_SCHEDULED, nodesToMaintain } from './maintenance-tables.ts';
import { NOTHING_KNOWN, type UnplacedPanel } from './panel.ts';
import { PHASES, poolPhase } from './phases.ts';
import { countOf, inner, pools } from './series.ts';
import { barGauge, NEUTRAL, stat } from './stats.ts';
import { nodeVariables } from './variables.ts';

/** What a person who plans around maintenance works from. */
export function maintenance(): DashboardContent {
  return {
    uid: UID.maintenance,
    title: 'GKE disruption / Upcoming maintenance',
    description:
      'Host maintenance that Google has announced: which nodes, when, why, and whether it can be started earlier.',
    from: 'now-24h',
    variables: nodeVariables(),
    sections: [inShort(), nodesToMaintain(), plan()],
  };
}

function inShort(): Section {
  const within24h = `${pools(NODE.startsIn)} < 86400`;
  const startable = `${pools(NODE.startsIn)} and ${pools(NODE.canReschedule)} == 1`;
  return {
    id: 100,
    title: 'In short',
    lines: [
      {
        height: 4,
        panels: [
          [4, next()],
          [
            4,
            count(
              2,
              'Scheduled',
              'Nodes with maintenance that is announced and has not begun.',
              pools(NODE.startsIn),
            ),
          ],
          [4, count(3, 'Within 24 h', 'Nodes whose maintenance window opens within 24 hours.', within24h)],
          [
            4,
            count(
              4,
              'Can be started early',
              'Nodes whose maintenance can be started now, with the label cloud.google.com/perform-maintenance=true.',
              startable,
            ),
          ],
          [4, count(5, 'Window open', 'Nodes whose maintenance window has opened.', pools(NODE.windowOpen))],
          [
            4,
            count(
              6,
              'Under way',
              'Nodes on which maintenance is being done: stopped, or about to be.',
              pools(NODE.inProgress),
            ),
          ],
        ],
      },
    ],
  };
}

function next(): UnplacedPanel {
  return stat(
    {
      id: 1,
      title: 'Next start',
      description: 'When the next maintenance window opens.',
      unit: 'dateTimeFromNow',
      noValue: 'Nothing scheduled',
      thresholds: NEUTRAL,
    },
    { expr: `(min(${pools(NODE.startsIn)} > 0) + time()) * 1000` },
  );
}

function count(id: number, title: string, description: string, query: string): UnplacedPanel {
  return stat(
    {
      id,
      title,
      description,
      unit: 'short',
      noValue: NOTHING_KNOWN,
      thresholds: NEUTRAL,
    },
    { expr: countOf(query) },
  );
}

function plan(): Section {
  return {
    id: 102,
    title: 'Pools',
    lines: [
      {
        height: 9,
        panels: [
          [14, startsPerDay()],
          [10, shareWithin24h()],
        ],
      },
      {
        height: 9,
        panels: [
          [14, phasesOfPools()],
          [10, nodesByPhase()],
        ],
      },
    ],
  };
}

/** The days of UTC in which windows open, written as dates so that text order is the order of time. */
function startsPerDay(): UnplacedPanel {
  const start = `(${pools(NODE.startsIn)} > 0 < 31 * 86400) + time()`;
  const date = `year(${start}) * 10000 + month(${start}) * 100 + day_of_month(${start})`;
  return barChart(
    {
      id: 9,
      title: 'Starts per day, next 31 days',
      description:
        'Nodes whose maintenance window opens on that day (UTC), by node pool. Days without any are left out.',
      unit: 'short',
      noValue: 'No maintenance starts within 31 days',
    },
    {
      expr: `label_replace(
  count_values by (node_pool) ("day",
    ${inner(date, 4)}
  ),
  "day", "$1-$2-$3", "day", "(....)(..)(..)"
)`,
    },
    {
      xField: String.raw`day\node_pool`,
      transformations: [
        { id: 'sortBy', options: { fields: {}, sort: [{ field: 'day' }] } },
        {
          id: 'groupingToMatrix',
          options: { columnField: 'node_pool', rowField: 'day', valueField: 'Value', emptyValue: 'null' },
        },
      ],
    },
  );
}

function shareWithin24h(): UnplacedPanel {
  return barGauge(
    {
      id: 10,
      title: 'Share of each pool within 24 h',
      description:
        'Which part of the nodes of a pool will have maintenance within 24 hours. The 20 pools with the largest part.',
      unit: 'percentunit',
      decimals: 0,
      noValue: 'No pool will have maintenance within 24 hours',
      thresholds: [
        [null, 'yellow'],
        [0.25, 'orange'],
        [0.5, 'red'],
      ],
    },
    {
      expr: `sort_desc(topk(20, ${pools(NODE_POOL.scheduledWithin24h)} > 0))`,
      legend: '{{node_pool}} {{cluster}}',
    },
  );
}

function phasesOfPools(): UnplacedPanel {
  return stateTimeline(
    {
      id: 11,
      title: 'States over time, by pool',
      description:
        'What the node of each pool that is farthest on went through: from nothing over scheduled to stopped.',
      unit: 'short',
      noValue: NOTHING_KNOWN,
      mappings: [PHASES],
    },
    { expr: poolPhase(), legend: '{{node_pool}} {{cluster}}' },
  );
}

function nodesByPhase(): UnplacedPanel {
  return areas(
    {
      id: 12,
      title: 'Nodes by state over time',
      description:
        'How many nodes of the chosen pools were scheduled for maintenance, had begun it, and were under it.',
      unit: 'short',
      noValue: NONE_SCHEDULED,
    },
    { expr: countOf(pools(NODE.inProgress)), legend: 'in progress' },
    { expr: countOf(`${pools(NODE.begun)} unless ${pools(NODE.inProgress)}`), legend: 'begun, node works' },
    { expr: countOf(pools(NODE.startsIn)), legend: 'scheduled' },
  );
}
