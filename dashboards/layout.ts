import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  type AnnotationQuery,
  // biome-ignore lint/suspicious/noDeprecatedImports: what replaces it cannot be imported by Grafana 11 and older
  DashboardBuilder,
  DashboardCursorSync,
  RowBuilder,
  TimePickerBuilder,
  type VariableModel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { dashboardLinks, TAG } from './links.ts';
import type { UnplacedPanel } from './panel.ts';

/** Grafana's grid is so many units wide, whatever the screen. */
const WIDTH = 24;

/** Panels beside each other, which have the same height. */
interface Line {
  readonly height: number;
  readonly panels: readonly (readonly [width: number, panel: UnplacedPanel])[];
}

/** Lines under a title. */
export interface Section {
  /** As with panels: never changes and is never used again. */
  readonly id: number;
  readonly title: string;
  readonly lines: readonly Line[];
}

/** A dashboard but for what all of them have in common. */
export interface DashboardContent {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  /** The range that is shown at first, up to now. */
  readonly from: string;
  readonly variables: readonly Builder<VariableModel>[];
  readonly annotations?: readonly Builder<AnnotationQuery>[];
  readonly sections: readonly Section[];
}

/** A dashboard as Grafana stores it: version 1 of the schema, which all releases in use can read. */
export type Dashboard = ReturnType<DashboardBuilder['build']>;

/** Puts a dashboard together: places panels from top to bottom in the order in which they stand. */
export function layOut(content: DashboardContent): Dashboard {
  const builder = new DashboardBuilder(content.title)
    .uid(content.uid)
    .description(content.description)
    .tags([TAG])
    .timezone('browser')
    .time({ from: content.from, to: 'now' })
    .refresh('1m')
    .timepicker(new TimePickerBuilder().refreshIntervals(['30s', '1m', '5m', '15m', '1h']))
    .tooltip(DashboardCursorSync.Crosshair)
    .readonly()
    .links([...dashboardLinks()])
    .variables([...content.variables])
    .annotations([...(content.annotations ?? [])]);
  let y = 0;
  for (const section of content.sections) {
    builder.withRow(new RowBuilder(section.title).id(section.id).gridPos({ x: 0, y, w: WIDTH, h: 1 }));
    y += 1;
    for (const line of section.lines) {
      placeLine(builder, line, y);
      y += line.height;
    }
  }
  return withoutUnused(builder.build());
}

/** The builders of variables set what only variables of another type have. */
function withoutUnused(dashboard: Dashboard): Dashboard {
  const list = dashboard.templating.list?.map(
    ({ auto: _, auto_min: _minimum, auto_count: _count, ...variable }) => variable,
  );
  return { ...dashboard, templating: { list: list ?? [] } };
}

function placeLine(builder: DashboardBuilder, { height, panels }: Line, y: number): void {
  let x = 0;
  for (const [width, panel] of panels) {
    panel.gridPos({ x, y, w: width, h: height });
    builder.withPanel(panel);
    x += width;
  }
  if (x !== WIDTH) throw new Error(`a line is ${x} units wide instead of ${WIDTH}`);
}
