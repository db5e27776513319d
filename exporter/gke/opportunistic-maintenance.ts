import { type InvalidValue, showValue } from './invalid-value.ts';

/**
 * The configuration of opportunistic maintenance of a node pool: GKE may start a pending maintenance early on a node that
 * ran no accelerator workload for `idleTimeSeconds`, while at least `minNodes` of the pool remain, within `windowSeconds`
 * before the planned start. What was not sent is undefined.
 */
export interface OpportunisticConfig {
  readonly idleTimeSeconds: number | undefined;
  readonly minNodes: number | undefined;
  readonly windowSeconds: number | undefined;
}

/** What can stand for each setting: gcloud's flag and the GKE API (OpportunisticMaintenanceStrategy), without case, - and _. */
const SETTINGS: Record<string, keyof OpportunisticConfig> = {
  maintenanceavailabilitywindow: 'windowSeconds',
  minimumnodesperpool: 'minNodes',
  minnodes: 'minNodes',
  minnodesperpool: 'minNodes',
  nodeidletime: 'idleTimeSeconds',
  nodeidletimewindow: 'idleTimeSeconds',
  window: 'windowSeconds',
};

interface Parsed<T> {
  readonly value: T | undefined;
  readonly invalid: readonly InvalidValue[];
}

/**
 * Reads the annotation `node.gke.io/opportunistic-config`. Its format is not documented: read are gcloud's
 * `node-idle-time=600s,min-nodes=3,window=2419200s` and JSON with the same or the API's names; other settings are ignored.
 */
export function parseOpportunisticConfig(text: string): Parsed<OpportunisticConfig> {
  const config = new Map<keyof OpportunisticConfig, number>();
  for (const [name, value] of settings(text)) {
    const setting = SETTINGS[name.toLowerCase().replaceAll(/[-_\s]/gu, '')];
    const number = parseAmount(value);
    if (setting !== undefined && number !== undefined) config.set(setting, number);
  }
  if (config.size === 0) return invalidAnnotation('opportunistic-config', text);
  const value = {
    idleTimeSeconds: config.get('idleTimeSeconds'),
    minNodes: config.get('minNodes'),
    windowSeconds: config.get('windowSeconds'),
  };
  return { value, invalid: [] };
}

function settings(text: string): [string, unknown][] {
  try {
    const json = JSON.parse(text) as unknown;
    return typeof json === 'object' && json !== null ? Object.entries(json) : [];
  } catch {
    return text.split(',').flatMap((setting): [string, unknown][] => {
      const [name, value] = setting.split(/[=:]/u);
      return name !== undefined && value !== undefined ? [[name.trim(), value.trim()]] : [];
    });
  }
}

/** A count, or seconds with or without the `s` of Google's durations. */
function parseAmount(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^\d{1,12}(?:\.\d{1,9})?s?$/u.test(text)) return undefined;
  return Number.parseFloat(text);
}

const TRIGGERED = /opportunistic-triggered["']?\s*[=:]\s*["']?(?<value>true|false)\b/iu;

/**
 * Reads from the annotation `node.gke.io/maintenance-state` whether opportunistic maintenance started this one. The format is
 * not documented; JSON and `key=value` or `key: value` text are read, other states are left alone.
 */
export function parseOpportunisticTriggered(text: string): Parsed<boolean> {
  const value = TRIGGERED.exec(text)?.groups?.value?.toLowerCase();
  if (value !== undefined) return { value: value === 'true', invalid: [] };
  return text.includes('opportunistic-triggered')
    ? invalidAnnotation('maintenance-state', text)
    : { value: undefined, invalid: [] };
}

function invalidAnnotation(field: string, text: string): Parsed<never> {
  return { value: undefined, invalid: [{ source: 'annotation', field, value: showValue(text) }] };
}
