import { type DashboardModel, panelsOf, readDashboard, variableQuery } from './model.ts';

/** A query of a panel. */
interface PanelQuery {
  readonly kind: 'panel';
  readonly uid: string;
  readonly panelId: number;
  readonly title: string;
  readonly refId: string;
  readonly expr: string;
  readonly type: 'instant' | 'range';
  readonly format: string;
  /** The least `$__interval`, and how many points a range has at most, where the panel says so. */
  readonly minimumInterval: string | undefined;
  readonly maxDataPoints: number | undefined;
}

/** What the options of a variable are taken from: the values of a label of the series that a selector matches. */
interface VariableQuery {
  readonly kind: 'variable';
  readonly uid: string;
  readonly name: string;
  readonly expr: string;
  readonly label: string;
}

/** What annotations of a dashboard are taken from. */
interface AnnotationQuery {
  readonly kind: 'annotation';
  readonly uid: string;
  readonly name: string;
  readonly expr: string;
}

export type DashboardQuery = PanelQuery | VariableQuery | AnnotationQuery;

const LABEL_VALUES = /^label_values\((?<expr>.*),\s*(?<label>\w+)\)$/su;

/** Every query that a dashboard's JSON makes Grafana send, with macros and variables not filled in. */
export function listQueries(json: unknown): readonly DashboardQuery[] {
  const dashboard = readDashboard(json);
  return [...variables(dashboard), ...annotations(dashboard), ...panels(dashboard)];
}

/** Takes `label_values(SELECTOR, LABEL)` apart; undefined for anything else. */
export function labelValues(query: string): { readonly expr: string; readonly label: string } | undefined {
  const { expr, label } = LABEL_VALUES.exec(query)?.groups ?? {};
  return expr === undefined || label === undefined ? undefined : { expr: expr.trim(), label };
}

function panels(dashboard: DashboardModel): readonly PanelQuery[] {
  return panelsOf(dashboard).flatMap((panel) =>
    panel.targets.map((target) => ({
      kind: 'panel',
      uid: dashboard.uid,
      panelId: panel.id,
      title: panel.title,
      refId: target.refId,
      expr: target.expr,
      type: target.instant ? 'instant' : 'range',
      format: target.format,
      minimumInterval: target.interval ?? panel.interval,
      maxDataPoints: panel.maxDataPoints,
    })),
  );
}

function variables({ uid, templating }: DashboardModel): readonly VariableQuery[] {
  return templating.list
    .filter(({ type }) => type === 'query')
    .map((variable) => {
      const { expr, label } = labelValues(variableQuery(variable)) ?? {
        expr: variableQuery(variable),
        label: '',
      };
      return { kind: 'variable', uid, name: variable.name, expr, label };
    });
}

function annotations({ uid, annotations: { list } }: DashboardModel): readonly AnnotationQuery[] {
  return list
    .filter(({ expr }) => expr !== '')
    .map(({ name, expr }) => ({ kind: 'annotation', uid, name, expr }));
}
