import escapeHtml from 'escape-html';
import { type DashboardModel, type PanelModel, readDashboard } from './model.ts';

/** How Grafana draws its grid on a screen 1600 pixels wide, without its menu. */
const COLUMN_PIXELS = 66;
const ROW_PIXELS = 38;

const STYLE = `body { margin: 12px; font: 13px sans-serif; background: #111217; color: #ccccdc }
.grid { position: relative; width: ${24 * COLUMN_PIXELS}px }
.panel, .row { position: absolute; box-sizing: border-box; overflow: hidden }
.panel { padding: 6px 8px; border: 1px solid #34363d; background: #181b1f }
.row { padding-top: 8px; font-weight: bold }
h2 { margin: 0; font-size: 14px }
p { margin: 4px 0; color: #9fa7b3 }`;

/** A page with the places, sizes, titles and texts of each panel: what overlaps or is cramped can be seen without Grafana. */
export function layoutPage(dashboards: Iterable<unknown>): string {
  const bodies = [...dashboards].map((json) => page(readDashboard(json))).join('\n');
  return `<!doctype html>\n<meta charset="utf-8">\n<title>Layout of the dashboards</title>\n<style>\n${STYLE}\n</style>\n${bodies}\n`;
}

function page(dashboard: DashboardModel): string {
  const height = Math.max(0, ...dashboard.panels.map(({ gridPos: { y, h } }) => y + h)) * ROW_PIXELS;
  const variables = dashboard.templating.list.map(({ label }) => escapeHtml(label)).join(' · ');
  return `<h1 id="${escapeHtml(dashboard.uid)}">${escapeHtml(dashboard.title)}</h1>
<p>${variables}</p>
<div class="grid" style="height: ${height}px">
${dashboard.panels.map(place).join('\n')}
</div>`;
}

function place(panel: PanelModel): string {
  const { x, y, w, h } = panel.gridPos;
  const style = `left: ${x * COLUMN_PIXELS}px; top: ${y * ROW_PIXELS}px; width: ${w * COLUMN_PIXELS - 8}px; height: ${h * ROW_PIXELS - 8}px`;
  if (panel.type === 'row') return `<div class="row" style="${style}">▾ ${escapeHtml(panel.title)}</div>`;
  const { unit = '', noValue = '' } = panel.fieldConfig?.defaults ?? {};
  return `<div class="panel" style="${style}"><h2>${escapeHtml(panel.title)}</h2>
<p>#${panel.id} ${panel.type}, ${escapeHtml(unit)}, ${panel.targets.length} queries</p><p>${escapeHtml(panel.description)}</p><p>∅ ${escapeHtml(noValue)}</p></div>`;
}
