import {
  FieldTextAlignment,
  TableCellHeight,
  TableSortByFieldStateBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import type {
  DataTransformerConfig,
  DynamicConfigValue,
  Panel,
  ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table';
import { type DataLink, describePanel, linksProperty, type PanelText, type UnplacedPanel } from './panel.ts';

/** What is shown where a row lacks a value. */
const NOTHING = '–';

/** A column of what labels hold. */
interface LabelColumn {
  readonly label: string;
  readonly title: string;
  readonly width?: number;
  readonly links?: readonly DataLink[];
  readonly mappings?: readonly ValueMapping[];
}

/** A query; its value is a column, and its labels fill the columns of labels. */
export interface ValueColumn {
  readonly refId: string;
  readonly expr: string;
  /** Where there is none, only the labels are shown. */
  readonly title?: string;
  readonly unit?: string;
  readonly decimals?: number;
  readonly width?: number;
  readonly mappings?: readonly ValueMapping[];
  readonly thresholds?: readonly (readonly [from: number | null, color: string])[];
  /** Several rows of this query are one row of the table, which shows all values of the label. */
  readonly collect?: { readonly label: string; readonly by: readonly string[] };
}

/** A table with one row for each set of labels that its queries have in common. */
export interface TableContent {
  readonly labels: readonly LabelColumn[];
  readonly values: readonly ValueColumn[];
  /** Titles in the order of the columns. */
  readonly order: readonly string[];
  /** Labels that links need, and nobody has to read. */
  readonly hidden?: readonly string[];
  readonly sortBy: { readonly title: string; readonly descending: boolean };
}

/** A table of the latest values. Lists of nodes are cut off by their queries. */
export function table(text: PanelText, content: TableContent): UnplacedPanel {
  const builder = describePanel(
    new TableBuilder(),
    text,
    content.values.map(({ refId, expr }) => ({ refId, expr, instant: true, format: 'table' })),
  )
    .cellHeight(TableCellHeight.Sm)
    .showHeader(true)
    .align(FieldTextAlignment.Auto)
    .filterable(true)
    .sortBy([
      new TableSortByFieldStateBuilder().displayName(content.sortBy.title).desc(content.sortBy.descending),
    ])
    .transformations(transformations(content))
    .overrideByRegexp('.*', [{ id: 'noValue', value: NOTHING }]);
  for (const column of content.labels) builder.overrideByName(column.label, labelProperties(column));
  for (const column of content.values)
    builder.overrideByName(fieldOf(content, column), valueProperties(column));
  for (const label of content.hidden ?? []) builder.overrideByName(label, HIDDEN);
  return { gridPos: (position) => builder.gridPos(position), build: () => withoutFooter(builder.build()) };
}

/** The builder sets a footer, which tables of the newest Grafana have elsewhere, and ours not at all. */
function withoutFooter(panel: Panel): Panel {
  const { footer: _, ...options } = panel.options;
  return { ...panel, options };
}

/** Grafana 12 calls it by another name than those before it. */
const HIDDEN: DynamicConfigValue[] = [
  { id: 'custom.hidden', value: true },
  { id: 'custom.hideFrom', value: { viz: true, legend: false, tooltip: false } },
];

/** Rows whose series have different names, or were evaluated apart, would not be merged. */
const UNNAMED: DataTransformerConfig = {
  id: 'filterFieldsByName',
  options: { exclude: { names: ['Time', '__name__'] } },
};

function transformations(content: TableContent): DataTransformerConfig[] {
  const merge = content.values.length > 1 ? [{ id: 'merge', options: {} }] : [];
  return [UNNAMED, ...content.values.flatMap(collecting), ...merge, organize(content)];
}

function collecting({ refId, collect }: ValueColumn): readonly DataTransformerConfig[] {
  if (collect === undefined) return [];
  const by = collect.by.map((label) => [label, { aggregations: [], operation: 'groupby' }] as const);
  const fields = {
    ...Object.fromEntries(by),
    [collect.label]: { aggregations: ['uniqueValues'], operation: 'aggregate' },
  };
  return [{ id: 'groupBy', filter: { id: 'byRefId', options: refId }, options: { fields } }];
}

function organize(content: TableContent): DataTransformerConfig {
  const unread = content.values.filter(({ title, collect }) => title === undefined && collect === undefined);
  const excluded = unread.map((column) => fieldOf(content, column));
  const fields = content.order.map((title) => fieldByTitle(content, title));
  return {
    id: 'organize',
    options: {
      excludeByName: Object.fromEntries(excluded.map((field) => [field, true])),
      indexByName: Object.fromEntries(fields.map((field, index) => [field, index])),
      renameByName: {},
    },
  };
}

function fieldByTitle(content: TableContent, title: string): string {
  const label = content.labels.find((column) => column.title === title)?.label;
  if (label !== undefined) return label;
  const value = content.values.find((column) => column.title === title);
  if (value === undefined) throw new Error(`there is no column ${title}`);
  return fieldOf(content, value);
}

/** Grafana names a value by its query only where there are several. */
function fieldOf({ values }: TableContent, { refId, collect }: ValueColumn): string {
  if (collect !== undefined) return `${collect.label} (uniqueValues)`;
  return values.length > 1 ? `Value #${refId}` : 'Value';
}

function labelProperties(column: LabelColumn): DynamicConfigValue[] {
  return [
    { id: 'displayName', value: column.title },
    ...optional('custom.width', column.width),
    ...(column.links === undefined ? [] : [linksProperty(...column.links)]),
    ...optional('mappings', column.mappings),
  ];
}

function valueProperties(column: ValueColumn): DynamicConfigValue[] {
  return [
    ...optional('displayName', column.title),
    ...optional('unit', column.unit),
    ...optional('decimals', column.decimals),
    ...optional('custom.width', column.width),
    ...optional('mappings', column.mappings),
    ...(column.mappings === undefined && column.thresholds === undefined ? [] : [COLORED]),
    ...(column.thresholds === undefined ? [] : thresholdProperties(column.thresholds)),
  ];
}

const COLORED: DynamicConfigValue = { id: 'custom.cellOptions', value: { type: 'color-text' } };

function thresholdProperties(steps: NonNullable<ValueColumn['thresholds']>): readonly DynamicConfigValue[] {
  return [
    { id: 'color', value: { mode: 'thresholds' } },
    {
      id: 'thresholds',
      value: { mode: 'absolute', steps: steps.map(([value, color]) => ({ value, color })) },
    },
  ];
}

function optional(id: string, value: unknown): readonly DynamicConfigValue[] {
  return value === undefined ? [] : [{ id, value }];
}
