import { formatDuration } from '../exporter/config/duration.ts';

/**
 * What is chosen for a variable: one value; several of a variable that allows several, also when All stands for all of its
 * options; or the text that its All stands for, which goes into the query as it is.
 */
type VariableValue = string | readonly string[] | { readonly all: string };

/** What Grafana fills a query in with. Instants and durations are milliseconds. */
export interface Scope {
  readonly from: number;
  readonly to: number;
  /** `$__interval`: see queryInterval. */
  readonly interval: number;
  /** As the data source says; Grafana takes 15 seconds for it if it says nothing. */
  readonly scrapeInterval: number;
  readonly variables: Readonly<Record<string, VariableValue>>;
}

/** A query names a variable that nobody defines, or a format that Prometheus queries have no use for. */
export class InterpolationError extends Error {
  override readonly name = 'InterpolationError';
}

/** `$name`, `${name}`, `${name:format}` and `[[name]]`; `$1` is a group of a regular expression of PromQL. */
const REFERENCE =
  /\$(?<plain>[a-zA-Z_]\w*)|\$\{(?<braced>[a-zA-Z_]\w*)(?::(?<format>[^}]+))?\}|\[\[(?<old>[a-zA-Z_]\w*)\]\]/gu;

/** Rounds up by as many scrapes as a rate needs. Source: Grafana's Prometheus data source, `$__rate_interval`. */
const SCRAPES_OF_A_RATE = 4;

/**
 * Fills the macros and variables in as Grafana's Prometheus data source does, so that a query can be given to Prometheus.
 * Throws an InterpolationError where Grafana would leave the reference standing and Prometheus would refuse the query.
 */
export function interpolate(text: string, scope: Scope): string {
  const macros = macrosOf(scope);
  return text.replaceAll(REFERENCE, (reference: string, ...rest: readonly unknown[]) => {
    const { plain, braced, old, format } = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    const name = plain ?? braced ?? old ?? '';
    const macro = macros.get(name);
    if (macro !== undefined) return macro;
    const value = Object.hasOwn(scope.variables, name) ? scope.variables[name] : undefined;
    if (value === undefined) throw new InterpolationError(`${reference}: there is no such variable`);
    return formatValue(value, format, reference);
  });
}

function macrosOf({ from, to, interval, scrapeInterval }: Scope): ReadonlyMap<string, string> {
  const rateInterval = Math.max(interval + scrapeInterval, SCRAPES_OF_A_RATE * scrapeInterval);
  const range = to - from;
  return new Map([
    ['__interval', formatDuration(interval)],
    ['__interval_ms', String(interval)],
    ['__rate_interval', formatDuration(rateInterval)],
    ['__rate_interval_ms', String(rateInterval)],
    ['__range', `${Math.round(range / 1000)}s`],
    ['__range_s', String(Math.round(range / 1000))],
    ['__range_ms', String(range)],
    ['__from', String(from)],
    ['__to', String(to)],
  ]);
}

function formatValue(value: VariableValue, format: string | undefined, reference: string): string {
  if (typeof value === 'object' && 'all' in value) return value.all;
  const values = typeof value === 'string' ? [value] : value;
  switch (format) {
    case undefined:
      return typeof value === 'string' ? insideString(value) : alternatives(values.map(insideStringAsRegex));
    case 'regex':
      return alternatives(values.map(asRegex));
    case 'pipe':
      return values.join('|');
    case 'csv':
    case 'raw':
      return values.join(',');
    default:
      throw new InterpolationError(`${reference}: unknown format ${format}`);
  }
}

function alternatives(values: readonly string[]): string {
  return values.length === 1 ? values.join('') : `(${values.join('|')})`;
}

function asRegex(value: string): string {
  return value.replaceAll(/[\\^$*+?.()|[\]{}/]/gu, String.raw`\$&`);
}

/** What stands in quotes in a query is unescaped by Prometheus once before the regular expression is. */
function insideStringAsRegex(value: string): string {
  return value.replaceAll('\\', '\\\\\\\\').replaceAll(/[$^*{}[\]'+?.()|]/gu, String.raw`\\$&`);
}

function insideString(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`);
}
