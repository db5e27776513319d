import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { requireTool } from '../test/tools.ts';
import { ALERT_CASES } from './cases/cases.ts';
import { promtoolTests } from './cases/promtool.ts';
import { PROMETHEUS } from './dialect.ts';
import { ruleGroups } from './rules/groups.ts';
import { DEFAULT_SETTINGS, readSettings } from './settings.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'alert-cases-'));
afterAll(() => rmSync(folder, { recursive: true }));

const rules = ruleGroups(readSettings(DEFAULT_SETTINGS), PROMETHEUS).flatMap((group) =>
  group.rules.filter((rule) => 'alert' in rule),
);

/** What alerts say when they begin to fire: by case, then by name and severity. */
const told = parse(readFileSync(new URL('cases/annotations.yml', import.meta.url), 'utf8')) as Record<
  string,
  Record<string, Record<string, string>>
>;

/** Those that are read in a case, with summary and runbook. */
function annotationsIn(name: string) {
  return new Map(
    rules.flatMap(({ alert, labels: { severity }, annotations: { summary, runbook_url = '' } }) => {
      const rest = told[name]?.[`${alert} ${severity}`];
      return rest === undefined ? [] : [[`${alert} ${severity}`, { summary, runbook_url, ...rest }] as const];
    }),
  );
}

describe('alerts', () => {
  it.each(ALERT_CASES.map((each, index) => [each.name, each, index] as const))(
    '%s',
    async (name, each, index) => {
      const file = join(folder, `${index}.test.yml`);
      writeFileSync(file, promtoolTests(each, annotationsIn(name)));
      const { stdout, stderr } = await run(requireTool('promtool'), ['test', 'rules', file], {
        env: { ...process.env, TZ: 'UTC' },
      }).catch((error: unknown) => error as { readonly stdout: string; readonly stderr: string });
      expect(stdout + stderr).toContain('SUCCESS');
    },
  );
});

describe.each(rules.map((rule) => [rule.alert, rule.labels.severity, rule] as const))(
  '%s (%s)',
  (alert, severity, rule) => {
    it('fires in a case, where its text is read', () => {
      const where = ALERT_CASES.filter(
        ({ name, fires: [first] }) =>
          first?.alert === alert &&
          first.labels.severity === severity &&
          told[name]?.[`${alert} ${severity}`] !== undefined,
      );
      expect(where).not.toHaveLength(0);
    });

    it('has a runbook with the four sections', () => {
      const text = readFileSync(new URL(`runbooks/${alert}.md`, import.meta.url), 'utf8');
      expect(text.match(/^##? .*/gmu)).toStrictEqual([
        `# ${alert}`,
        '## Meaning',
        '## Impact',
        '## Diagnosis',
        '## Mitigation',
      ]);
      for (const [, link = ''] of text.matchAll(/\]\((?<link>[^)#:]+)[^)]*\)/gu)) {
        expect(existsSync(new URL(`runbooks/${link}`, import.meta.url)), link).toBe(true);
      }
    });

    it('has a summary of one sentence that is the same for all of its alerts', () => {
      expect(rule.annotations.summary).toMatch(/^[A-Z][^{}]*\.$/u);
    });
  },
);
