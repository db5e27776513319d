import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireTool } from '../test/tools.ts';
import { dashboards } from './dashboards.ts';
import { interpolate } from './interpolate.ts';
import { listQueries } from './queries.ts';

const run = promisify(execFile);
const HOUR = 3_600_000;
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dashboard-answers-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Question {
  readonly dashboard: string;
  readonly panelId: number;
  /** From 0 to so many milliseconds, in one interval. */
  readonly range: number;
  /** One sample a minute, in promtool's notation. */
  readonly series: Readonly<Record<string, string>>;
  readonly answer: Readonly<Record<string, number>>;
}

/** Lets promtool compare the answer to a panel's first query, at the end of the range. */
async function ask({ dashboard, panelId, range, series, answer }: Question): Promise<string> {
  const query = listQueries(dashboards().get(dashboard)).find(
    (candidate) => candidate.kind === 'panel' && candidate.panelId === panelId,
  );
  const expr = interpolate(query?.expr ?? '', {
    from: 0,
    to: range,
    interval: range,
    scrapeInterval: 60_000,
    variables: { cluster: { all: '.*' }, accelerator: { all: '.*' }, node_pool: ['a4', 'spot'], node: 'n1' },
  });
  const test = {
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        expr,
        eval_time: `${range / 60_000}m`,
        exp_samples: Object.entries(answer).map(([labels, value]) => ({ labels, value })),
      },
    ],
  };
  const file = join(folder, `${dashboard}-${panelId}.yml`);
  writeFileSync(file, JSON.stringify({ evaluation_interval: '1m', tests: [test] }));
  return await run(requireTool('promtool'), ['test', 'rules', file]).then(
    ({ stdout }) => stdout,
    (error: unknown) =>
      String((error as { stdout?: string }).stdout) + String((error as { stderr?: string }).stderr),
  );
}

const CLUSTER = 'project_id="p", location="l", cluster_name="c"';

function interruptionsOf(pool: string, type: string, rest = ''): string {
  return `node_pool:gke_node_pool_interruptions:difference{${CLUSTER}, node_pool="${pool}", interruption_type="${type}", interruption_reason="r"${rest}}`;
}

describe('a panel', () => {
  it('counts an interruption once, though a second Prometheus label says that two exporters tell it', async () => {
    const question: Question = {
      dashboard: 'interruptions',
      panelId: 1,
      range: HOUR,
      series: {
        [interruptionsOf('a4', 'MaintenanceEvent')]: '0x10 2 0x100',
        [interruptionsOf('a4', 'MaintenanceEvent', ', cluster="hub"')]: '0x10 2 0x100',
        [interruptionsOf('spot', 'PreemptionEvent')]: '0x40 1 0x100',
        [interruptionsOf('other', 'PreemptionEvent')]: '0x40 1 0x100',
      },
      answer: { '{}': 3 },
    };
    expect(await ask(question)).toContain('SUCCESS');
  });

  it.each([16, 17])('counts preemptions by the hour of the day: %i', async (panelId) => {
    const question: Question = {
      dashboard: 'interruptions',
      panelId,
      range: 24 * HOUR,
      series: {
        // At 00:30, 04:30 and twice at 23:59.
        [interruptionsOf('spot', 'PreemptionEvent')]: '0x29 1 0x238 1 0x1167 2 0x10',
        [interruptionsOf('a4', 'MaintenanceEvent')]: '1x2000',
      },
      answer: Object.fromEntries(
        Array.from({ length: 24 }, (_, hour) => [
          `{hour="${String(hour).padStart(2, '0')}"}`,
          { 0: 1, 4: 1, 23: 2 }[hour] ?? 0,
        ]),
      ),
    };
    expect(await ask(question)).toContain('SUCCESS');
  });

  it('counts starts of maintenance by day', async () => {
    const start = (node: string): string =>
      `node:gke_node_maintenance_starts_in_seconds:min{node="${node}", node_pool="a4"}`;
    const question: Question = {
      dashboard: 'maintenance',
      panelId: 9,
      range: HOUR,
      series: {
        [start('n1')]: '82800x100',
        [start('n2')]: '86400x100',
        [start('n3')]: '82799x100',
        [start('later')]: '2764800x100',
      },
      answer: { '{day="1970-01-02", node_pool="a4"}': 2, '{day="1970-01-01", node_pool="a4"}': 1 },
    };
    expect(await ask(question)).toContain('SUCCESS');
  });

  it('shows of each pool the node that is farthest on', async () => {
    const nodes = (pool: string): string => `node_pool:gke_node_pool_nodes:max{node_pool="${pool}"}`;
    const question: Question = {
      dashboard: 'maintenance',
      panelId: 11,
      range: HOUR,
      series: {
        [nodes('a4')]: '3x100',
        [nodes('spot')]: '5x100',
        'node:gke_node_maintenance_starts_in_seconds:min{node="n1", node_pool="a4"}': '80000x100',
        'node:gke_node_maintenance_starts_in_seconds:min{node="n2", node_pool="a4"}': '3000x100',
      },
      answer: { '{node_pool="a4"}': 3, '{node_pool="spot"}': 0 },
    };
    expect(await ask(question)).toContain('SUCCESS');
  });

  it('names the runbook that is right for each node', async () => {
    const start = (node: string): string =>
      `node:gke_node_maintenance_starts_in_seconds:min{node="${node}", node_pool="a4"}`;
    const row = (node: string, advice: string): string =>
      `node:gke_node_maintenance_starts_in_seconds:min{advice="GKEDisruptionMaintenance${advice}", node="${node}", node_pool="a4"}`;
    const question: Question = {
      dashboard: 'maintenance',
      panelId: 7,
      range: HOUR,
      series: { [start('n1')]: '3599x100', [start('n2')]: '86399x100', [start('n3')]: '86400x100' },
      answer: {
        [row('n1', 'Imminent')]: 3599,
        [row('n2', 'Soon')]: 86_399,
        [row('n3', 'Scheduled')]: 86_400,
      },
    };
    expect(await ask(question)).toContain('SUCCESS');
  });
});
