import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  type DynamicConfigValue,
  FieldColorBuilder,
  FieldColorModeId,
  type Panel,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { DATASOURCE } from './variables.ts';

/** What it means that nothing is told though there are nodes: the exporter is not scraped, or its rules are not loaded. */
export const NOTHING_KNOWN = 'Not scraped, or no rules';

/** The same where interruptions are counted, which are read from Cloud Monitoring. */
export const NOTHING_COUNTED = 'Not read, or no rules';

/** What every panel must say for itself. */
export interface PanelText {
  /** Never changes and is never used again: links to a panel contain it, and diffs stay small. */
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly unit: string;
  /** What it means that there are no data. */
  readonly noValue: string;
  readonly decimals?: number;
  /** From low to high; the first holds from minus infinity on. */
  readonly thresholds?: readonly (readonly [from: number | null, color: string])[];
  readonly mappings?: readonly ValueMapping[];
  /** Where a click on a series leads. */
  readonly links?: readonly DataLink[];
}

/** A query of a panel. */
export interface Query {
  readonly expr: string;
  /** The name of each series, with labels as `{{label}}`. */
  readonly legend?: string;
  /** Given where a transformation or an override names it; otherwise letters in order. */
  readonly refId?: string;
  /** The value at the end of the range, rather than over the range. */
  readonly instant?: boolean;
  readonly format?: 'time_series' | 'table';
}

/** A panel that is complete but for its place. */
export type UnplacedPanel = Builder<Panel> & {
  gridPos: (position: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  }) => unknown;
};

/** What the builders of all types of panels have in common. */
interface CommonBuilder extends UnplacedPanel {
  id: (id: number) => unknown;
  title: (title: string) => unknown;
  description: (description: string) => unknown;
  datasource: (datasource: { type?: string; uid?: string }) => unknown;
  unit: (unit: string) => unknown;
  noValue: (text: string) => unknown;
  decimals: (decimals: number) => unknown;
  mappings: (mappings: ValueMapping[]) => unknown;
  thresholds: (thresholds: Builder<ReturnType<ThresholdsConfigBuilder['build']>>) => unknown;
  colorScheme: (color: FieldColorBuilder) => unknown;
  overrideByRegexp: (regexp: string, properties: DynamicConfigValue[]) => unknown;
  withTarget: (target: DataqueryBuilder) => unknown;
}

/** Tells a panel of any type what it shows. */
export function describePanel<B extends CommonBuilder>(
  builder: B,
  text: PanelText,
  queries: readonly Query[],
): B {
  builder.id(text.id);
  builder.title(text.title);
  builder.description(text.description);
  builder.datasource(DATASOURCE);
  builder.unit(text.unit);
  builder.noValue(text.noValue);
  if (text.decimals !== undefined) builder.decimals(text.decimals);
  if (text.mappings !== undefined) builder.mappings([...text.mappings]);
  if (text.links !== undefined) builder.overrideByRegexp('.*', [linksProperty(...text.links)]);
  const colors = new FieldColorBuilder();
  if (text.thresholds === undefined) {
    builder.colorScheme(colors.mode(FieldColorModeId.PaletteClassicByName));
  } else {
    builder.colorScheme(colors.mode(FieldColorModeId.Thresholds));
    builder.thresholds(thresholds(text.thresholds));
  }
  queries.forEach((query, index) => {
    builder.withTarget(target(query, String.fromCharCode(65 + index)));
  });
  return builder;
}

/** Shows texts and colours instead of numbers. */
export function valueTexts(
  texts: Readonly<Record<number, readonly [text: string, color: string]>>,
): ValueMapping {
  return {
    type: 'value',
    options: Object.fromEntries(
      Object.entries(texts).map(([value, [text, color]], index) => [value, { text, color, index }]),
    ),
  } as ValueMapping;
}

/** A link that is shown when a value is clicked. */
export function linksProperty(...values: readonly DataLink[]): DynamicConfigValue {
  return { id: 'links', value: values };
}

/** Where a value leads to; `${__data.fields.NAME}` stands for other values of the same row. */
export interface DataLink {
  readonly title: string;
  readonly url: string;
  readonly targetBlank: boolean;
}

function thresholds(steps: NonNullable<PanelText['thresholds']>): ThresholdsConfigBuilder {
  return new ThresholdsConfigBuilder()
    .mode(ThresholdsMode.Absolute)
    .steps(steps.map(([value, color]) => ({ value, color })));
}

function target(query: Query, letter: string): DataqueryBuilder {
  const builder = new DataqueryBuilder()
    .datasource(DATASOURCE)
    .expr(query.expr)
    .refId(query.refId ?? letter)
    .format(query.format === 'table' ? PromQueryFormat.Table : PromQueryFormat.TimeSeries);
  if (query.legend !== undefined) builder.legendFormat(query.legend);
  return query.instant === true ? builder.instant() : builder.range();
}
