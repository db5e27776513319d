import { type InvalidValue, showValue } from './invalid-value.ts';
import { type MaintenanceRecord, parseMaintenanceRecordText } from './maintenance-record.ts';

/** An answer of the metadata server. */
export interface MetadataAnswer {
  readonly status: number;
  readonly body: string;
}

/** What an answer says: a value, or undefined for "nothing". */
export interface Meaning<T> {
  readonly value: T | undefined;
  readonly invalid: readonly InvalidValue[];
}

/** What the metadata server says before the first notification. Read in the source of Google's maintenance handler. */
const NO_NOTIFICATION = /no notifications have been received yet/u;

/**
 * Reads `instance/upcoming-maintenance`. "Nothing" is a 404 (machine types without the feature), NONE, `{}`, or a 503 with the
 * body that says so. Any other 503 happens for a moment during maintenance itself: undefined, to be asked again.
 */
export function readUpcomingMaintenance({
  status,
  body,
}: MetadataAnswer): Meaning<MaintenanceRecord> | undefined {
  if (status === 404 || (status === 503 && NO_NOTIFICATION.test(body)))
    return { value: undefined, invalid: [] };
  if (status !== 200) return undefined;
  const { record, invalid } = parseMaintenanceRecordText(unquoted(body), 'metadata');
  return { value: record, invalid };
}

/** Reads a word such as TRUE, FALSE or MIGRATE; 404 and an empty answer are nothing. Undefined: to be asked again. */
export function readWord(key: string, { status, body }: MetadataAnswer): Meaning<string> | undefined {
  if (status === 404) return { value: undefined, invalid: [] };
  if (status !== 200) return undefined;
  const word = unquoted(body).toUpperCase();
  if (word === '') return { value: undefined, invalid: [] };
  if (/^[A-Z][A-Z_]{0,127}$/u.test(word)) return { value: word, invalid: [] };
  return { value: undefined, invalid: [{ source: 'metadata', field: key, value: showValue(body) }] };
}

/** The node pool in the attribute `kube-labels`, by which GKE tells a VM the labels of its Node; undefined where there is none. */
export function nodePoolOf(kubeLabels: string): string | undefined {
  return /(?:^|,)cloud\.google\.com\/gke-nodepool=(?<pool>[a-z0-9][a-z0-9-]{0,62})(?:,|$)/u.exec(
    kubeLabels.trim(),
  )?.groups?.pool;
}

function unquoted(body: string): string {
  return body.trim().replace(/^"(?<text>[^"\\]*)"$/u, '$<text>');
}
