import { describe, expect, it } from 'vitest';
import { dashboards } from '../dashboards.ts';
import { type DashboardModel, readDashboard } from '../model.ts';
import { DATASOURCE } from '../variables.ts';
import { RULES } from './rules.ts';

const OURS = [...dashboards()].map(([name, dashboard]) => [name, readDashboard(dashboard)] as const);

function dashboardOf(panel: object, rest: object = {}): DashboardModel {
  return readDashboard({
    uid: 'bad',
    title: 'Bad',
    editable: false,
    templating: {
      list: [{ type: 'datasource', name: 'datasource', label: 'Data source', query: 'prometheus' }],
    },
    annotations: { list: [] },
    panels: [
      {
        id: 1,
        type: 'stat',
        title: 'Panel',
        description: 'What it shows.',
        gridPos: { x: 0, y: 0, w: 1, h: 1 },
        datasource: DATASOURCE,
        targets: [{ refId: 'A', expr: 'up', datasource: DATASOURCE }],
        fieldConfig: { defaults: { unit: 's' } },
        ...panel,
      },
    ],
    ...rest,
  });
}

function asking(expr: string): DashboardModel {
  return dashboardOf({ targets: [{ refId: 'A', expr, datasource: DATASOURCE }] });
}

function choosing(...variables: readonly object[]): DashboardModel {
  return dashboardOf({}, { templating: { list: variables } });
}

const QUERY = {
  type: 'query',
  name: 'v',
  refresh: 2,
  query: 'label_values(up, job)',
  datasource: DATASOURCE,
};

const BAD = [
  ['template-datasource-rule', choosing(), 'templating', 'no variable for the data source'],
  [
    'template-datasource-rule',
    choosing({ type: 'datasource', name: 'datasource', label: 'Data source', query: 'loki' }),
    'variable datasource',
    'its query is "loki" instead of "prometheus"',
  ],
  [
    'template-on-time-change-reload-rule',
    choosing({ ...QUERY, refresh: 1 }),
    'variable v',
    'is not refreshed when the time range changes',
  ],
  [
    'template-label-promql-rule',
    choosing({ ...QUERY, query: 'metrics(up)' }),
    'variable v',
    'its query is not label_values(SELECTOR, LABEL)',
  ],
  [
    'template-label-promql-rule',
    choosing({ ...QUERY, query: { query: 'label_values(up{, job)' } }),
    'variable v',
    'no PromQL at ""',
  ],
  [
    'panel-datasource-rule',
    dashboardOf({ datasource: { uid: 'abc' } }),
    'panel Panel',
    'does not ask the chosen data source',
  ],
  [
    'panel-datasource-rule',
    dashboardOf({ targets: [{ refId: 'B', expr: 'up' }] }),
    'panel Panel, query B',
    'does not ask the chosen data source',
  ],
  ['panel-title-description-rule', dashboardOf({ title: '' }), 'panel 1', 'no title'],
  ['panel-title-description-rule', dashboardOf({ description: '' }), 'panel 1', 'no description'],
  ['panel-units-rule', dashboardOf({ fieldConfig: { defaults: {} } }), 'panel Panel', 'unknown unit ""'],
  ['panel-no-targets-rule', dashboardOf({ targets: [] }), 'panel Panel', 'no query'],
  ['target-promql-rule', asking('sum(up'), 'panel Panel, query A', 'no PromQL at ""'],
  [
    'target-promql-rule',
    asking('up{a="$nobody"}'),
    'panel Panel, query A',
    '$nobody: there is no such variable',
  ],
  [
    'target-rate-interval-rule',
    asking('sum(rate(x_total[$__interval]))'),
    'panel Panel, query A',
    'rate() over something else than $__rate_interval',
  ],
  [
    'target-counter-agg-rule',
    asking('sum(x_total)'),
    'panel Panel, query A',
    'the counter x_total is not in rate(), irate() or increase()',
  ],
  [
    'target-counter-agg-rule',
    asking('max_over_time(x_total[5m])'),
    'panel Panel, query A',
    'the counter x_total is not in rate(), irate() or increase()',
  ],
  ['uneditable-dashboard', dashboardOf({}, { editable: true }), 'dashboard', 'can be edited'],
] as const;

describe.each(Object.entries(RULES))('%s', (name, rule) => {
  const bad = BAD.filter(([of]) => of === name);

  it('is shown to find something', () => {
    expect(bad).not.toEqual([]);
  });

  it.each(bad)('finds what is wrong: %s %#', (_, dashboard, where, message) => {
    expect(rule(dashboard)).toEqual([{ where, message }]);
  });

  it('finds nothing in a good dashboard', () => {
    expect(rule(asking('sum by (a) (rate(x_total{b="$node"}[$__rate_interval]))'))).toEqual([]);
  });

  it.each(OURS)('finds nothing in %s', (_, dashboard) => {
    expect(rule(dashboard)).toEqual([]);
  });
});
