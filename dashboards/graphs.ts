import { PanelBuilder as BarChartBuilder } from '@grafana/grafana-foundation-sdk/barchart';
import {
  AxisPlacement,
  GraphDrawStyle,
  GraphGradientMode,
  LegendDisplayMode,
  LegendPlacement,
  LineInterpolation,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import type { DataTransformerConfig } from '@grafana/grafana-foundation-sdk/dashboard';
import {
  CellValuesBuilder,
  PanelBuilder as HeatmapBuilder,
  HeatmapColorMode,
  HeatmapColorOptionsBuilder,
  HeatmapTooltipBuilder,
  YAxisConfigBuilder,
} from '@grafana/grafana-foundation-sdk/heatmap';
import { PanelBuilder as StateTimelineBuilder } from '@grafana/grafana-foundation-sdk/statetimeline';
import { PanelBuilder as TimeSeriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import { describePanel, type PanelText, type Query, type UnplacedPanel } from './panel.ts';

/** At most so many bars: each is wide enough to be pointed at on a laptop, and a query looks at each sample once. */
const BARS = 120;

/** Rules record interruptions once a minute: a shorter bar would be empty or would count a sample that another one counts. */
const RECORDED_EVERY = '1m';

/** Values over time, a line each. */
export function lines(text: PanelText, ...queries: readonly Query[]): UnplacedPanel {
  return timeSeries(text, queries, ['lastNotNull', 'max'])
    .drawStyle(GraphDrawStyle.Line)
    .lineInterpolation(LineInterpolation.StepAfter)
    .fillOpacity(0);
}

/** Parts of a whole over time, as areas on top of each other. */
export function areas(text: PanelText, ...queries: readonly Query[]): UnplacedPanel {
  return timeSeries(text, queries, ['lastNotNull', 'max'])
    .drawStyle(GraphDrawStyle.Line)
    .lineInterpolation(LineInterpolation.StepAfter)
    .fillOpacity(35)
    .min(0)
    .stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A'));
}

/**
 * Numbers of happenings in each `$__interval`, as bars on top of each other. The legend has their sum over the range: whole
 * numbers of which none is counted twice.
 */
export function bars(text: PanelText, ...queries: readonly Query[]): TimeSeriesBuilder {
  return timeSeries({ decimals: 0, ...text }, queries, ['sum'])
    .drawStyle(GraphDrawStyle.Bars)
    .fillOpacity(80)
    .lineWidth(0)
    .gradientMode(GraphGradientMode.None)
    .min(0)
    .interval(RECORDED_EVERY)
    .maxDataPoints(BARS)
    .stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A'));
}

/** Rare happenings that a counter tells of, at scrapes up to a minute apart: `increase()` needs several of them in each bar. */
export function estimatedBars(text: PanelText, ...queries: readonly Query[]): UnplacedPanel {
  return bars(text, ...queries).interval('5m');
}

/** What state something was in, and when it changed: a row for each series. */
export function stateTimeline(text: PanelText, ...queries: readonly Query[]): UnplacedPanel {
  return describePanel(new StateTimelineBuilder(), { thresholds: [[null, 'green']], ...text }, queries)
    .showValue(VisibilityMode.Auto)
    .mergeValues(true)
    .rowHeight(0.85)
    .fillOpacity(75)
    .lineWidth(0)
    .perPage(20)
    .legend(
      new VizLegendOptionsBuilder()
        .showLegend(true)
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.None));
}

/** A heat map whose rows are series, and whose columns are days. */
export function dailyHeatmap(text: PanelText, query: Query): UnplacedPanel {
  return describePanel(new HeatmapBuilder(), { decimals: 0, ...text }, [query])
    .calculate(false)
    .interval('1d')
    .color(
      new HeatmapColorOptionsBuilder()
        .mode(HeatmapColorMode.Scheme)
        .scheme('Oranges')
        .steps(32)
        .min(0)
        .reverse(false),
    )
    .cellValues(new CellValuesBuilder().unit(text.unit).decimals(0))
    .yAxis(new YAxisConfigBuilder().axisPlacement(AxisPlacement.Left).unit('short'))
    .tooltip(
      new HeatmapTooltipBuilder().mode(TooltipDisplayMode.Single).yHistogram(false).showColorScale(true),
    )
    .cellGap(1)
    .showLegend();
}

/** Bars beside each other along values of a label, not along time. */
export function barChart(
  text: PanelText,
  query: Query,
  {
    xField,
    transformations,
  }: { readonly xField: string; readonly transformations: readonly DataTransformerConfig[] },
): UnplacedPanel {
  return describePanel(new BarChartBuilder(), { decimals: 0, ...text }, [
    { ...query, instant: true, format: 'table' },
  ])
    .xField(xField)
    .stacking(StackingMode.Normal)
    .showValue(VisibilityMode.Never)
    .barWidth(0.85)
    .fillOpacity(80)
    .min(0)
    .xTickLabelSpacing(100)
    .legend(legend(['sum']))
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending))
    .transformations([...transformations]);
}

function timeSeries(
  text: PanelText,
  queries: readonly Query[],
  calculations: readonly string[],
): TimeSeriesBuilder {
  return describePanel(new TimeSeriesBuilder(), text, queries)
    .lineWidth(1)
    .showPoints(VisibilityMode.Never)
    .legend(legend(calculations))
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending));
}

function legend(calculations: readonly string[]): VizLegendOptionsBuilder {
  return new VizLegendOptionsBuilder()
    .showLegend(true)
    .displayMode(LegendDisplayMode.Table)
    .placement(LegendPlacement.Right)
    .calcs([...calculations]);
}
