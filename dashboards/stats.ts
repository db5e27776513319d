import { PanelBuilder as BarGaugeBuilder } from '@grafana/grafana-foundation-sdk/bargauge';
import {
  BarGaugeDisplayMode,
  BarGaugeNamePlacement,
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  ReduceDataOptionsBuilder,
  VizOrientation,
} from '@grafana/grafana-foundation-sdk/common';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { describePanel, type PanelText, type Query, type UnplacedPanel } from './panel.ts';

/** Only whole numbers: green while there is none. */
export const NONE_IS_GOOD = [
  [null, 'green'],
  [1, 'orange'],
] as const;

/** A number that means neither good nor bad. */
export const NEUTRAL = [[null, 'blue']] as const;

/** The latest value of one or a few queries, large enough for a screen on the wall. */
export function stat(text: PanelText, ...queries: readonly Query[]): UnplacedPanel {
  return describePanel(new StatBuilder(), text, queries.map(latest))
    .colorMode(BigValueColorMode.Value)
    .graphMode(BigValueGraphMode.None)
    .textMode(
      queries.length > 1 || queries.some(({ legend }) => legend !== undefined)
        ? BigValueTextMode.ValueAndName
        : BigValueTextMode.Value,
    )
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false).fields(''))
    .wideLayout(true);
}

/** A bar for each series, the longest first as the query sorts them. */
export function barGauge(text: PanelText, ...queries: readonly Query[]): UnplacedPanel {
  return describePanel(new BarGaugeBuilder(), text, queries.map(latest))
    .displayMode(BarGaugeDisplayMode.Basic)
    .orientation(VizOrientation.Horizontal)
    .namePlacement(BarGaugeNamePlacement.Left)
    .showUnfilled(false)
    .min(0)
    .maxVizHeight(40)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false).fields(''));
}

function latest(query: Query): Query {
  return { ...query, instant: true };
}
