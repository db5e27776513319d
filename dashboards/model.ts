import * as v from 'valibot';

const DATASOURCE = v.looseObject({ type: v.optional(v.string()), uid: v.optional(v.string()) });

const TARGET = v.looseObject({
  refId: v.optional(v.string(), ''),
  expr: v.optional(v.string(), ''),
  instant: v.optional(v.boolean(), false),
  format: v.optional(v.string(), 'time_series'),
  interval: v.optional(v.string()),
  datasource: v.optional(DATASOURCE),
});

const GRID_POSITION = v.looseObject({ x: v.number(), y: v.number(), w: v.number(), h: v.number() });

const PANEL = v.looseObject({
  id: v.number(),
  type: v.string(),
  title: v.optional(v.string(), ''),
  description: v.optional(v.string(), ''),
  gridPos: GRID_POSITION,
  datasource: v.optional(DATASOURCE),
  interval: v.optional(v.string()),
  maxDataPoints: v.optional(v.number()),
  targets: v.optional(v.array(TARGET), []),
  fieldConfig: v.optional(
    v.looseObject({
      defaults: v.looseObject({ unit: v.optional(v.string(), ''), noValue: v.optional(v.string(), '') }),
    }),
  ),
});

const VARIABLE = v.looseObject({
  name: v.string(),
  type: v.string(),
  label: v.optional(v.string(), ''),
  query: v.optional(v.union([v.string(), v.looseObject({ query: v.optional(v.string(), '') })]), ''),
  refresh: v.optional(v.number(), 0),
  datasource: v.optional(DATASOURCE),
});

const ANNOTATION = v.looseObject({
  name: v.string(),
  expr: v.optional(v.string(), ''),
  datasource: v.optional(DATASOURCE),
});

const DASHBOARD = v.looseObject({
  uid: v.string(),
  title: v.string(),
  editable: v.optional(v.boolean(), true),
  panels: v.optional(v.array(PANEL), []),
  templating: v.looseObject({ list: v.optional(v.array(VARIABLE), []) }),
  annotations: v.looseObject({ list: v.optional(v.array(ANNOTATION), []) }),
});

/** So much of a dashboard's JSON as the tools here look at. */
export type DashboardModel = v.InferOutput<typeof DASHBOARD>;
/** A panel of any type; also a row. */
export type PanelModel = v.InferOutput<typeof PANEL>;
/** A variable of any type. */
export type VariableModel = v.InferOutput<typeof VARIABLE>;

/** Reads what was parsed from a dashboard's JSON. Throws where Grafana would show no dashboard. */
export function readDashboard(json: unknown): DashboardModel {
  return v.parse(DASHBOARD, json);
}

/** All panels but rows, which only hold titles. */
export function panelsOf(dashboard: DashboardModel): readonly PanelModel[] {
  return dashboard.panels.filter(({ type }) => type !== 'row');
}

/** The text of a variable's query, in either of the forms in which Grafana keeps it. */
export function variableQuery({ query }: VariableModel): string {
  return typeof query === 'string' ? query : query.query;
}
