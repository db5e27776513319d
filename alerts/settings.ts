import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { parse } from 'yaml';
import { parseDuration } from '../exporter/config/duration.ts';

const DURATION = v.pipe(
  v.string('expected a duration, such as 24h'),
  v.check((text) => (parseDuration(text) ?? 0) > 0, 'expected a duration, such as 24h'),
  v.transform((text) => parseDuration(text) ?? 0),
);
const SHARE = v.pipe(
  v.number('expected a part of 1'),
  v.gtValue(0, 'expected a part of 1'),
  v.ltValue(1, 'expected a part of 1'),
);
const COUNT = v.pipe(
  v.number('expected a whole number from 1'),
  v.integer('expected a whole number from 1'),
  v.minValue(1, 'expected a whole number from 1'),
);
const FACTOR = v.pipe(v.number('expected a number above 1'), v.gtValue(1, 'expected a number above 1'));
const LABEL_NAME = v.pipe(v.string(), v.regex(/^[a-zA-Z_]\w*$/u, 'expected the name of a label'));
/** Kubernetes' names of labels may have a prefix, dots and hyphens. */
const RESOURCE_LABEL_NAME = v.pipe(
  v.string(),
  v.regex(/^[a-zA-Z0-9](?:[-\w./]*[a-zA-Z0-9])?$/u, 'expected the name of a label'),
);
const TEXT = v.string('expected a text');

const SETTINGS = v.strictObject({
  runbook_url: v.pipe(TEXT, v.url('expected a URL')),
  exporter_job: v.pipe(TEXT, v.regex(/^[^"\\\n]+$/u, 'expected the name of a job')),
  resource_labels: v.record(RESOURCE_LABEL_NAME, TEXT),
  alert_labels: v.record(LABEL_NAME, TEXT),
  gap: DURATION,
  soon: DURATION,
  imminent: DURATION,
  work_begins_within: DURATION,
  overrun: DURATION,
  majority: SHARE,
  sources_disagree: DURATION,
  node_interruptions: COUNT,
  preemption_storm: v.strictObject({ share: SHARE, nodes: COUNT }),
  interruption_rate: v.strictObject({ factor: FACTOR, interruptions: COUNT }),
  stale_data: DURATION,
});

/** What decides when an alert fires. Durations are milliseconds; the names are explained in settings.yml. */
export type Settings = v.InferOutput<typeof SETTINGS>;

/** Settings that rules cannot be made of; the message names file, path and reason. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** The settings that the rules in this repository are made with. */
export const DEFAULT_SETTINGS = new URL('settings.yml', import.meta.url);

/** Reads settings from a YAML file. Throws a SettingsError. */
export function readSettings(file: string | URL): Settings {
  let content: unknown;
  try {
    content = parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const [firstLine] = (error as Error).message.split('\n');
    throw new SettingsError(`${file}: ${firstLine}`, { cause: error });
  }
  const parsed = v.safeParse(SETTINGS, content);
  if (!parsed.success) throw new SettingsError(`${file}: ${reasonOf(parsed.issues[0])}`);
  const { soon, imminent } = parsed.output;
  if (imminent >= soon) throw new SettingsError(`${file}: imminent: must be shorter than soon`);
  return parsed.output;
}

function reasonOf(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue);
  if (path === null) return 'expected settings';
  if (issue.type === 'strict_object' && issue.expected === 'never') return `${path}: unknown key`;
  return `${path}: ${issue.received === 'undefined' ? 'missing' : issue.message}`;
}
