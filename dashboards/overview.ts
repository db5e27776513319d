import { NODE, NODE_POOL } from '../alerts/rules/maintenance.ts';
import { lines } from './graphs.ts';
import { health } from './health.ts';
import type { DashboardContent, Section } from './layout.ts';
import { poolLink, seriesLabel, UID } from './links.ts';
import { NOTHING_COUNTED, NOTHING_KNOWN, type UnplacedPanel } from './panel.ts';
import { atRisk } from './risk.ts';
import { countOf, INTERRUPTION, poolInterruptions, pools } from './series.ts';
import { barGauge, NEUTRAL, NONE_IS_GOOD, stat } from './stats.ts';
import { nodeVariables } from './variables.ts';

/** One page to know what is coming, what is happening, what happened, which pool suffers, and whether to believe it. */
export function overview(): DashboardContent {
  return {
    uid: UID.overview,
    title: 'GKE disruption / Overview',
    description:
      'Host maintenance and interruptions of GKE nodes: what comes, what goes on, what happened, and whether to believe it.',
    from: 'now-24h',
    variables: nodeVariables(),
    sections: [now(), happened(), atRisk(), health()],
  };
}

function now(): Section {
  return {
    id: 100,
    title: 'Now and soon',
    lines: [
      { height: 4, panels: [[4, nodes()], [4, ongoing()], ...scheduled(), [4, interruptionsInRange()]] },
      {
        height: 8,
        panels: [
          [12, nodesByPool()],
          [12, maintenanceByPool()],
        ],
      },
    ],
  };
}

function nodes(): UnplacedPanel {
  return stat(
    {
      id: 1,
      title: 'Nodes',
      description: 'Nodes of the chosen pools that exist in the Kubernetes API.',
      unit: 'short',
      noValue: NOTHING_KNOWN,
      thresholds: NEUTRAL,
    },
    { expr: `sum(${pools(NODE_POOL.nodes)})` },
  );
}

function ongoing(): UnplacedPanel {
  return stat(
    {
      id: 2,
      title: 'Under maintenance now',
      description: 'Nodes on which host maintenance is being done: they are stopped, or about to be.',
      unit: 'short',
      noValue: NOTHING_KNOWN,
      thresholds: NONE_IS_GOOD,
    },
    { expr: `sum(${pools(NODE_POOL.inProgress)})` },
  );
}

function scheduled(): readonly (readonly [number, UnplacedPanel])[] {
  const spans = [
    [3, '1 h', 3600, 'red'],
    [4, '24 h', 86_400, 'orange'],
    [5, '7 days', 604_800, 'yellow'],
  ] as const;
  return spans.map(([id, span, seconds, color]) => [
    4,
    stat(
      {
        id,
        title: `Scheduled within ${span}`,
        description: `Nodes whose maintenance window opens within ${span} and whose maintenance has not begun.`,
        unit: 'short',
        noValue: NOTHING_KNOWN,
        thresholds: [
          [null, 'green'],
          [1, color],
        ],
      },
      { expr: countOf(`${pools(NODE.startsIn)} < ${seconds}`) },
    ),
  ]);
}

function interruptionsInRange(): UnplacedPanel {
  return stat(
    {
      id: 6,
      title: 'Interruptions in the range',
      description:
        'Interruptions that GKE counted in the time range of the dashboard. Each counts six minutes after it ended.',
      unit: 'short',
      decimals: 0,
      noValue: NOTHING_COUNTED,
      thresholds: NEUTRAL,
    },
    { expr: poolInterruptions([], '$__range') },
  );
}

function nodesByPool(): UnplacedPanel {
  return lines(
    {
      id: 7,
      title: 'Nodes by pool',
      description:
        'Nodes of each pool that exist in the Kubernetes API. Upgrades, repairs and preemption show as dents.',
      unit: 'short',
      noValue: NOTHING_KNOWN,
    },
    { expr: pools(NODE_POOL.nodes), legend: '{{node_pool}} {{cluster}}' },
  );
}

function maintenanceByPool(): UnplacedPanel {
  return barGauge(
    {
      id: 8,
      title: 'Scheduled or under way, by pool',
      description:
        'Nodes with host maintenance that is scheduled or under way: the 20 pools with most of them.',
      unit: 'short',
      noValue: 'No maintenance is announced for the chosen pools',
      thresholds: NEUTRAL,
    },
    {
      expr: `sort_desc(
  topk(20, count by (cluster, node_pool) (
    ${pools(NODE.startsIn)}
    or
    ${pools(NODE.inProgress)}
  ))
)`,
      legend: '{{node_pool}} {{cluster}}',
    },
  );
}

function happened(): Section {
  const noValue = 'No interruption in the time range';
  const by = (id: number, title: string, label: string, what: string): UnplacedPanel =>
    barGauge(
      {
        id,
        title,
        description: `Interruptions in the time range ${what}. Whole numbers.`,
        unit: 'short',
        decimals: 0,
        noValue,
        thresholds: NEUTRAL,
        ...(label === 'node_pool' ? { links: [poolLink(seriesLabel(label))] } : {}),
      },
      {
        expr: `sort_desc(topk(10, ${poolInterruptions([label], '$__range')} > 0))`,
        legend: `{{${label}}}`,
      },
    );
  return {
    id: 101,
    title: 'What happened in the time range',
    lines: [
      {
        height: 8,
        panels: [
          [6, by(9, 'Interruptions by type', 'interruption_type', 'by type')],
          [6, by(10, 'Interruptions by reason', 'interruption_reason', 'by reason; the 10 with most')],
          [6, by(11, 'Interruptions by node pool', 'node_pool', 'by node pool; the 10 with most')],
          [6, hoursPerInterruption()],
        ],
      },
    ],
  };
}

function hoursPerInterruption(): UnplacedPanel {
  return barGauge(
    {
      id: 12,
      title: 'Node hours per interruption, 7 days',
      description:
        'Mean time between interruptions of one node: hours of all nodes of the pool, divided by its interruptions in the last 7 days. The 10 worst pools.',
      unit: 'h',
      decimals: 0,
      noValue: 'No interruption in the last 7 days',
      thresholds: [
        [null, 'red'],
        [168, 'orange'],
        [672, 'green'],
      ],
    },
    { expr: `sort(bottomk(10, ${pools(INTERRUPTION.hours7d)}))`, legend: '{{node_pool}} {{cluster}}' },
  );
}
