import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { requireTool } from '../test/tools.ts';
import { ruleFiles } from './forms.ts';
import type { RuleGroup } from './rule.ts';
import { DEFAULT_SETTINGS, readSettings, SettingsError } from './settings.ts';

const run = promisify(execFile);
const cwd = fileURLToPath(new URL('.', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'rules-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SETTINGS = readSettings(DEFAULT_SETTINGS);
const FILES = [...ruleFiles(SETTINGS)];

/** The groups of rules, whatever they are wrapped in. */
function groupsOf(text: string): readonly RuleGroup[] {
  const content = parse(text) as { groups?: readonly RuleGroup[]; spec?: { groups: readonly RuleGroup[] } };
  return content.groups ?? content.spec?.groups ?? [];
}

async function promtool(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(requireTool('promtool'), args, { cwd }).catch((error: unknown) => {
    throw new Error(String((error as { stdout?: string }).stdout), { cause: error });
  });
  return stdout + stderr;
}

describe('generated rules', () => {
  it.each(FILES)('%s is what `npm run alerts` writes', (file, text) => {
    expect(readFileSync(join(cwd, 'generated', file), 'utf8')).toBe(text);
  });

  it('are all there is in the folder', () => {
    const written = globSync('*', { cwd: join(cwd, 'generated') });
    expect(new Set(written)).toStrictEqual(new Set(FILES.map(([file]) => file)));
  });

  it.each(FILES)('%s is accepted by promtool, with every lint', async (file, text) => {
    const rules = join(folder, file);
    writeFileSync(rules, stringify({ groups: groupsOf(text) }));
    expect(await promtool('check', 'rules', '--lint=all', '--lint-fatal', rules)).toContain('SUCCESS');
  });

  it.each(globSync('*.test.yml', { cwd }))('do what %s says', async (file) => {
    expect(await promtool('test', 'rules', file)).toContain('SUCCESS');
  });
});

describe('rules for Managed Service for Prometheus', () => {
  const files = FILES.filter(([file]) => file.startsWith('managed-prometheus'));

  it.each(files)('%s has no keep_firing_for, which is unknown there', (_file, text) => {
    expect(text).not.toContain('keep_firing_for');
  });

  it.each(files)('%s records nothing under the names of metrics that Google has', (_file, text) => {
    expect(text).not.toContain('record: kubernetes_io:');
  });

  it.each(files)('%s keeps the labels by which it tells clusters apart', (_file, text) => {
    const aggregations = [...text.matchAll(/\b(?:by|on) \((?<labels>[^)]*)\)/gu)].map(
      ([, labels = '']) => labels,
    );
    expect(aggregations.length).toBeGreaterThan(50);
    for (const labels of aggregations) {
      // The second names the cluster of an interruption in the exporter's own words, in the labels' other names.
      expect(labels).toMatch(
        /^(?:project_id, location, cluster\b|exported_project_id, exported_location, cluster_name)/u,
      );
    }
  });
});

describe('settings', () => {
  it('change thresholds, runbooks, job and labels', () => {
    const files = new Map(
      ruleFiles({
        ...SETTINGS,
        imminent: 7_200_000,
        runbook_url: 'https://wiki.example/run',
        exporter_job: 'mine',
        alert_labels: { team: 'ml' },
        resource_labels: { release: 'kube-prometheus-stack' },
      }),
    );
    const prometheus = files.get('prometheus.rules.yml') ?? '';
    expect(prometheus).toContain('node:gke_node_maintenance_starts_in_seconds:min < 7200');
    expect(prometheus).toContain('starts within 2h.');
    expect(prometheus).toContain('https://wiki.example/run/GKEDisruptionMaintenanceImminent.md');
    expect(prometheus).toContain('up{job="mine"}');
    expect(prometheus).toContain('team: ml');
    expect(files.get('prometheus-rule.yml')).toContain('release: kube-prometheus-stack');
  });

  const GOOD = readFileSync(DEFAULT_SETTINGS, 'utf8');
  it.each([
    [
      'a duration that is none',
      GOOD.replace('gap: 5m', 'gap: soon'),
      'gap: expected a duration, such as 24h',
    ],
    [
      'a share of more than all',
      GOOD.replace('majority: 0.5', 'majority: 50'),
      'majority: expected a part of 1',
    ],
    ['a key that nobody knows', `${GOOD}\nsooon: 1d\n`, 'sooon: unknown key'],
    ['a missing key', GOOD.replace('soon: 24h', ''), 'soon: missing'],
    [
      'a page later than its warning',
      GOOD.replace('imminent: 1h', 'imminent: 2d'),
      'imminent: must be shorter than soon',
    ],
    [
      'a job that would break out of a query',
      GOOD.replace('exporter_job: ', `exporter_job: 'a"b' # `),
      'exporter_job: expected the name of a job',
    ],
    [
      'a URL that is none',
      GOOD.replace('runbook_url: https', 'runbook_url: at '),
      'runbook_url: expected a URL',
    ],
    ['no YAML', '{', 'Flow map must end with a }'],
    ['a number', '5', 'expected settings'],
  ])('%s is refused with path and reason', (_name, text, reason) => {
    const file = join(folder, 'settings.yml');
    writeFileSync(file, text);
    expect(() => readSettings(file)).toThrow(SettingsError);
    expect(() => readSettings(file)).toThrow(`${file}: ${reason}`);
  });
});
