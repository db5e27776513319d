import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { dashboards } from './dashboards.ts';
import { dashboardFiles } from './forms.ts';
import { type PanelModel, readDashboard } from './model.ts';

const FOLDER = new URL('generated/', import.meta.url);
const RUNBOOKS = new URL('../alerts/runbooks/', import.meta.url);
const files = dashboardFiles();
const all = [...dashboards()].map(([name, dashboard]) => [name, readDashboard(dashboard)] as const);

function text(file: string): string {
  return files.get(file) ?? '';
}

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly json: string };
}

function resourcesOf(file: string): readonly Resource[] {
  return parseAllDocuments(text(`kubernetes/${file}`)).map((document) => document.toJS() as Resource);
}

function overlap({ gridPos: a }: PanelModel, { gridPos: b }: PanelModel): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

describe('the files in dashboards/generated', () => {
  it.each([...files.keys()])(
    '%s is what the sources say; after a change, run: npm run dashboards',
    (file) => {
      expect(readFileSync(new URL(file, FOLDER), 'utf8')).toBe(text(file));
    },
  );

  it('are no others', () => {
    const found = globSync('*/*.*', { cwd: fileURLToPath(FOLDER) });
    expect(found.toSorted((a, b) => a.localeCompare(b))).toEqual(
      [...files.keys()].toSorted((a, b) => a.localeCompare(b)),
    );
  });

  it('are the same when they are made again', () => {
    expect([...dashboardFiles()]).toEqual([...files]);
  });
});

describe.each(all)('%s', (name, dashboard) => {
  it('has a uid of its own that fits into a URL', () => {
    expect(dashboard.uid).toMatch(/^gke-disruption-[a-z]{1,25}$/u);
    expect(all.filter(([, { uid }]) => uid === dashboard.uid)).toHaveLength(1);
  });

  it('has panels with ids of their own', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has queries with names of their own in each panel', () => {
    for (const { title, targets } of dashboard.panels) {
      const refIds = targets.map(({ refId }) => refId);
      expect([title, new Set(refIds).size]).toEqual([title, refIds.length]);
      expect(refIds).not.toContain('');
    }
  });

  it('has panels that lie beside each other, within the grid, without a gap', () => {
    const overlapping = dashboard.panels.flatMap((one, index) =>
      dashboard.panels.slice(index + 1).filter((other) => overlap(one, other)),
    );
    expect(overlapping).toEqual([]);
    const area = dashboard.panels.reduce((sum, { gridPos: { w, h } }) => sum + w * h, 0);
    const bottom = Math.max(...dashboard.panels.map(({ gridPos: { y, h } }) => y + h));
    expect(area).toBe(24 * bottom);
  });

  it('says in each panel what it means that there are no data, in a few words where it stands instead of a number', () => {
    for (const { type, title, fieldConfig } of dashboard.panels.filter((panel) => panel.type !== 'row')) {
      const noValue = fieldConfig?.defaults.noValue ?? '';
      const most = type === 'stat' ? 25 : 200;
      expect([title, noValue !== '' && noValue.length <= most]).toEqual([title, true]);
    }
  });

  it('names runbooks that exist, and dashboards that exist', () => {
    const json = text(`provisioned/${name}.json`);
    for (const [, runbook] of json.matchAll(/(?:runbooks\/|\\")(?<runbook>GKEDisruption\w+)/gu)) {
      expect([runbook, existsSync(new URL(`${runbook}.md`, RUNBOOKS))]).toEqual([runbook, true]);
    }
    for (const [, uid] of json.matchAll(/"\/d\/(?<uid>[\w-]+)/gu)) {
      expect(all.map(([, other]) => other.uid)).toContain(uid);
    }
  });

  it('is tied to no data source when it is provisioned, and asks for one when it is imported', () => {
    expect(text(`provisioned/${name}.json`)).not.toContain('DS_');
    const imported = JSON.parse(text(`grafana.com/${name}.json`));
    expect(imported).toMatchObject({
      id: null,
      __inputs: [{ name: 'DS_PROMETHEUS', pluginId: 'prometheus' }],
    });
    expect(imported.templating.list[0].current.value).toBe(['$', '{DS_PROMETHEUS}'].join(''));
    const types = new Set(dashboard.panels.map(({ type }) => type).filter((type) => type !== 'row'));
    const required = imported.__requires.filter(({ type }: { type: string }) => type === 'panel');
    expect(new Set(required.map(({ id }: { id: string }) => id))).toEqual(types);
  });
});

describe('Kubernetes', () => {
  it.each([
    ['configmaps.yml', 'ConfigMap'],
    ['grafana-dashboards.yml', 'GrafanaDashboard'],
  ])('gets all dashboards from %s', (file, kind) => {
    const resources = resourcesOf(file);
    expect(resources.map((resource) => resource.kind)).toEqual(all.map(() => kind));
    const jsons = resources.map(({ data, spec }) => spec?.json ?? Object.values(data ?? {}).join(''));
    expect(jsons.map((json) => readDashboard(JSON.parse(json)).uid)).toEqual(all.map(([, { uid }]) => uid));
  });

  it('has the label that the sidecar looks for', () => {
    for (const { metadata } of resourcesOf('configmaps.yml')) {
      expect(metadata.labels).toMatchObject({ grafana_dashboard: '1' });
    }
  });
});

describe('the example of provisioning', () => {
  it.each(['datasources.yml', 'dashboards.yml'])('%s is YAML of the version that Grafana reads', (file) => {
    expect(parse(readFileSync(new URL(`provisioning/${file}`, import.meta.url), 'utf8')).apiVersion).toBe(1);
  });
});
