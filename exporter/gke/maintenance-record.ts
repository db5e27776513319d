import { parseRfc3339 } from './instant.ts';
import { type InvalidValue, showValue } from './invalid-value.ts';

/**
 * One coming or ongoing host maintenance of one VM. Instants are Unix seconds; what was not sent is undefined.
 * The window is the span in which maintenance may begin. Its end is no deadline: repairs were observed to run past it.
 */
export interface MaintenanceRecord {
  readonly windowStart: number | undefined;
  readonly latestWindowStart: number | undefined;
  readonly windowEnd: number | undefined;
  readonly canReschedule: boolean | undefined;
  /** PENDING, ONGOING, or what else is sent. ONGOING describes the window, not the work. */
  readonly status: string | undefined;
  /** SCHEDULED, UNSCHEDULED, or what else is sent: a state of the schedule, not a cause. */
  readonly type: string | undefined;
  /** Causes as sent, each once, in the order sent. */
  readonly reasons: readonly string[];
}

/** What was read, and what could not be. No record at all means that no maintenance is announced. */
export interface ParsedMaintenanceRecord {
  readonly record: MaintenanceRecord | undefined;
  readonly invalid: readonly InvalidValue[];
}

type Source = InvalidValue['source'];

/** Longest accepted word of Google's (status, type, reason) and most reasons of one record; real ones have about 30 and 2. */
const LONGEST_WORD = 128;
const MOST_REASONS = 32;

/**
 * Reads the text of a maintenance record in any of the shapes that Google sends: JSON of the metadata server and of the
 * node annotation, or the metadata server's plain `key value` lines. Empty text, `NONE` and `{}` are no record.
 */
export function parseMaintenanceRecordText(text: string, source: Source): ParsedMaintenanceRecord {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.toUpperCase() === 'NONE') return { record: undefined, invalid: [] };
  const json = parseJson(trimmed);
  if (json !== undefined) return parseMaintenanceRecord(json, source);
  const lines = parseKeyValueLines(trimmed);
  return lines === undefined ? noRecord(text, source) : parseMaintenanceRecord(lines, source);
}

/**
 * Reads a maintenance record that is already an object: `resourceStatus.upcomingMaintenance` of the Compute API, or parsed
 * JSON of the other sources. Fields are found in snake_case and camelCase. Never throws; a field that cannot be read is
 * left out and reported.
 */
export function parseMaintenanceRecord(value: unknown, source: Source): ParsedMaintenanceRecord {
  if (typeof value === 'string' && value.trim().toUpperCase() === 'NONE')
    return { record: undefined, invalid: [] };
  if (!isObject(value)) return noRecord(value, source);
  const fields = new Fields(value, source);
  const timeWindow = fields.object('start_time_window');
  const record: MaintenanceRecord = {
    windowStart: fields.instant('window_start_time') ?? timeWindow?.instant('earliest'),
    latestWindowStart: fields.instant('latest_window_start_time'),
    windowEnd: fields.instant('window_end_time') ?? timeWindow?.instant('latest'),
    canReschedule: fields.boolean('can_reschedule'),
    status: fields.word('maintenance_status'),
    type: fields.word('type'),
    reasons: fields.words('maintenance_reasons', 'maintenance_reason'),
  };
  return { record: isEmpty(record) ? undefined : record, invalid: fields.invalid };
}

function noRecord(value: unknown, source: Source): ParsedMaintenanceRecord {
  return {
    record: undefined,
    invalid: [{ source, field: 'upcoming-maintenance', value: showValue(value) }],
  };
}

function isEmpty(record: MaintenanceRecord): boolean {
  return Object.values(record).every(
    (value) => value === undefined || (Array.isArray(value) && value.length === 0),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Keys are those of the JSON shape, in snake_case; one that is new to us has the same form. */
const KEY_VALUE_LINE = /^(?<key>[a-z][a-z_]*) (?<value>.+)$/u;
const KNOWN_KEY = /^(?:can_reschedule|type|maintenance_|(?:latest_)?window_|start_time_window)/mu;

/** Undefined unless every line is a key, a space and a value, and one of the keys is of a record. */
function parseKeyValueLines(text: string): Record<string, unknown> | undefined {
  if (!KNOWN_KEY.test(text)) return undefined;
  const fields: Record<string, unknown> = {};
  for (const line of text.split('\n')) {
    const { key, value } = KEY_VALUE_LINE.exec(line.trimEnd())?.groups ?? {};
    if (key === undefined || value === undefined) return undefined;
    fields[key] = parseLineValue(key, value);
  }
  return fields;
}

/** In plain lines a list is words between commas or spaces, and a nested object is JSON. */
function parseLineValue(key: string, value: string): unknown {
  const json = parseJson(value);
  if (typeof json === 'object') return json;
  return key.startsWith('maintenance_reason') ? value.split(/[\s,]+/u).filter(Boolean) : value;
}

/** Reads the fields of one object, and remembers what could not be read. */
class Fields {
  readonly invalid: InvalidValue[];
  readonly #object: Record<string, unknown>;
  readonly #source: Source;

  constructor(object: Record<string, unknown>, source: Source, invalid: InvalidValue[] = []) {
    this.#object = object;
    this.#source = source;
    this.invalid = invalid;
  }

  object(name: string): Fields | undefined {
    return this.#read(name, (value) =>
      isObject(value) ? new Fields(value, this.#source, this.invalid) : undefined,
    );
  }

  instant(name: string): number | undefined {
    return this.#read(name, parseRfc3339);
  }

  boolean(name: string): boolean | undefined {
    return this.#read(name, parseBoolean);
  }

  word(name: string): string | undefined {
    return this.#read(name, parseWord);
  }

  /** The words of the first of the named fields that was sent; one bad word does not drop the others. */
  words(...names: string[]): string[] {
    const name = names.find((candidate) => this.#value(candidate) !== undefined);
    if (name === undefined) return [];
    const list = this.#read(name, (value) => (Array.isArray(value) ? (value as unknown[]) : undefined)) ?? [];
    const words = new Set<string>();
    for (const item of list) {
      const word = words.size < MOST_REASONS ? parseWord(item) : undefined;
      if (word === undefined) this.#report(name, item);
      else words.add(word);
    }
    return [...words];
  }

  #read<T>(name: string, parse: (value: unknown) => T | undefined): T | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const parsed = parse(value);
    if (parsed === undefined) this.#report(name, value);
    return parsed;
  }

  /** The field in snake_case, else in camelCase. JSON null counts as not sent. */
  #value(name: string): unknown {
    return (
      this.#own(name) ?? this.#own(name.replace(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase()))
    );
  }

  #own(name: string): unknown {
    return Object.hasOwn(this.#object, name) ? (this.#object[name] ?? undefined) : undefined;
  }

  #report(field: string, value: unknown): void {
    this.invalid.push({ source: this.#source, field, value: showValue(value) });
  }
}

function parseBoolean(value: unknown): boolean | undefined {
  const word = typeof value === 'string' ? value.toLowerCase() : value;
  if (word === true || word === 'true') return true;
  if (word === false || word === 'false') return false;
  return undefined;
}

function parseWord(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_WORD ? value : undefined;
}
