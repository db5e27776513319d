import { bars } from './graphs.ts';
import { byHour, interruptedNodes } from './interruptions-nodes.ts';
import { pace } from './interruptions-pace.ts';
import type { DashboardContent, Section } from './layout.ts';
import { poolLink, seriesLabel, UID } from './links.ts';
import { NOTHING_COUNTED, NOTHING_KNOWN, type UnplacedPanel } from './panel.ts';
import { INTERRUPTION, poolInterruptions, pools } from './series.ts';
import { NEUTRAL, stat } from './stats.ts';
import { nodeVariables } from './variables.ts';

const NONE = 'No interruption in the time range';

/** What GKE counted as interruptions: whole numbers, by cause, by pool and over time. */
export function interruptions(): DashboardContent {
  return {
    uid: UID.interruptions,
    title: 'GKE disruption / Interruptions',
    description:
      'Interruptions of nodes as GKE counts them: by type, reason and node pool, announced or not, and how often.',
    from: 'now-7d',
    variables: nodeVariables(),
    sections: [inShort(), overTime(), pace(), interruptedNodes(), byHour()],
  };
}

/**
 * What the type says of notice. Host maintenance is announced where the node can announce it, preemption 30 seconds before;
 * host errors and repairs are not.
 */
const NOTICE = [
  ['host maintenance', 'interruption_type="MaintenanceEvent"'],
  ['preemption, 30 s before', 'interruption_type="PreemptionEvent"'],
  ['not announced', 'interruption_type!~"MaintenanceEvent|PreemptionEvent"'],
] as const;

function inShort(): Section {
  const count = (id: number, title: string, description: string, matchers: string): UnplacedPanel =>
    stat(
      { id, title, description, unit: 'short', decimals: 0, noValue: NOTHING_COUNTED, thresholds: NEUTRAL },
      { expr: poolInterruptions([], '$__range', matchers) },
    );
  const [[, maintained], [, preempted], [, unannounced]] = NOTICE;
  return {
    id: 100,
    title: 'In the time range',
    lines: [
      {
        height: 4,
        panels: [
          [
            5,
            count(
              1,
              'Interruptions',
              'All interruptions in the time range. Each counts six minutes after it ended.',
              '',
            ),
          ],
          [5, count(2, 'Host maintenance', 'Interruptions of type MaintenanceEvent.', maintained)],
          [
            5,
            count(
              3,
              'Preemption',
              'Interruptions of type PreemptionEvent: Spot and preemptible nodes, with 30 seconds of notice.',
              preempted,
            ),
          ],
          [
            5,
            count(
              4,
              'Termination',
              'All other interruptions: host errors, repairs, upgrades. Nobody announces them on the node.',
              unannounced,
            ),
          ],
          [4, nodesWithoutNotice()],
        ],
      },
    ],
  };
}

function nodesWithoutNotice(): UnplacedPanel {
  return stat(
    {
      id: 5,
      title: 'Nodes hit without notice',
      description:
        'Nodes that had a host error, or were preempted though they are not Spot, while no maintenance was announced on them. Each node once.',
      unit: 'short',
      noValue: NOTHING_KNOWN,
      thresholds: [
        [null, 'green'],
        [1, 'red'],
      ],
    },
    {
      expr: `count(count_over_time(${pools(INTERRUPTION.withoutNotice)}[$__range]))
or
0 * sum(node_pool:gke_node_pool_nodes:max)`,
    },
  );
}

function overTime(): Section {
  const by = (id: number, title: string, label: string): UnplacedPanel =>
    bars(
      {
        id,
        title,
        description: `${title} in each bar. Bars and the sums beside them are whole numbers.`,
        unit: 'short',
        noValue: NONE,
      },
      { expr: `${poolInterruptions([label], '$__interval')} > 0`, legend: `{{${label}}}` },
    );
  return {
    id: 101,
    title: 'Over time',
    lines: [
      {
        height: 9,
        panels: [
          [12, by(6, 'Interruptions by type', 'interruption_type')],
          [12, by(7, 'Interruptions by reason', 'interruption_reason')],
        ],
      },
      {
        height: 9,
        panels: [
          [12, byPool()],
          [12, announced()],
        ],
      },
    ],
  };
}

function byPool(): UnplacedPanel {
  return bars(
    {
      id: 8,
      title: 'Interruptions by node pool',
      description:
        'Interruptions in each bar, by node pool. Bars and the sums beside them are whole numbers.',
      unit: 'short',
      noValue: NONE,
      links: [poolLink(seriesLabel('node_pool'))],
    },
    {
      expr: `${poolInterruptions(['cluster', 'node_pool'], '$__interval')} > 0`,
      legend: '{{node_pool}} {{cluster}}',
    },
  );
}

function announced(): UnplacedPanel {
  return bars(
    {
      id: 9,
      title: 'Announced or not',
      description:
        'Interruptions in each bar, by whether their type is announced: host maintenance is where a node can announce it, preemption 30 seconds before, and the rest is not.',
      unit: 'short',
      noValue: NONE,
    },
    ...NOTICE.map(([legend, matchers]) => ({
      expr: `${poolInterruptions([], '$__interval', matchers)} > 0`,
      legend,
    })),
  );
}
