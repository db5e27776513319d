import type { AnnotationQuery, Dashboard, DataQuery, TableOptions } from '@grafana/schema';
import type {
  Options as BarChart,
  FieldConfig as BarChartField,
} from '@grafana/schema/dist/esm/raw/composable/barchart/panelcfg/x/BarChartPanelCfg_types.gen';
import type { Options as BarGauge } from '@grafana/schema/dist/esm/raw/composable/bargauge/panelcfg/x/BarGaugePanelCfg_types.gen';
import type {
  Options as Heatmap,
  FieldConfig as HeatmapField,
} from '@grafana/schema/dist/esm/raw/composable/heatmap/panelcfg/x/HeatmapPanelCfg_types.gen';
import type { Options as Stat } from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';
import type {
  Options as StateTimeline,
  FieldConfig as StateTimelineField,
} from '@grafana/schema/dist/esm/raw/composable/statetimeline/panelcfg/x/StateTimelinePanelCfg_types.gen';
import type { FieldConfig as TableField } from '@grafana/schema/dist/esm/raw/composable/table/panelcfg/x/TablePanelCfg_types.gen';
import type {
  Options as TimeSeries,
  FieldConfig as TimeSeriesField,
} from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';

/** JSON of a type: the text of an enum's value rather than its name. */
type Json<T> = T extends string
  ? `${T}`
  : T extends readonly (infer E)[]
    ? readonly Json<E>[]
    : T extends object
      ? { readonly [K in keyof T]: Json<T[K]> }
      : T;

/** What Grafana's Prometheus data source adds to a query. */
interface PrometheusQuery extends DataQuery {
  readonly expr: string;
  readonly range?: boolean;
  readonly instant?: boolean;
  readonly interval?: string;
}

/** What Grafana's Prometheus data source adds to an annotation; the schema knows nothing of any data source. */
interface PrometheusAnnotation {
  readonly expr?: string;
  readonly titleFormat?: string;
  readonly textFormat?: string;
  readonly useValueForTime?: boolean;
}

/** A dashboard by Grafana's own schema, which leaves open what a panel's type decides. */
export type DashboardJson = Omit<Json<Dashboard>, 'annotations'> & {
  readonly annotations?: {
    readonly list?: readonly (Json<AnnotationQuery<PrometheusQuery>> & PrometheusAnnotation)[];
  };
};

/** What each type of panel has as its options and as its fields' own configuration. */
export interface PanelJson {
  barchart: { options: Json<BarChart>; custom: Partial<Json<BarChartField>> };
  bargauge: { options: Json<BarGauge>; custom: Record<string, never> };
  heatmap: { options: Json<Heatmap>; custom: Partial<Json<HeatmapField>> };
  stat: { options: Json<Stat>; custom: Record<string, never> };
  'state-timeline': { options: Json<StateTimeline>; custom: Partial<Json<StateTimelineField>> };
  table: { options: Json<TableOptions>; custom: Partial<Json<TableField>> };
  timeseries: { options: Json<TimeSeries>; custom: Partial<Json<TimeSeriesField>> };
}
