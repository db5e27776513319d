import { formatDuration } from '../exporter/config/duration.ts';
import type { Dialect } from './dialect.ts';
import type { Settings } from './settings.ts';

/** Parts of queries that every rule is made of. */
export class Promql {
  readonly settings: Settings;
  readonly dialect: Dialect;

  constructor(settings: Settings, dialect: Dialect) {
    this.settings = settings;
    this.dialect = dialect;
  }

  /** `by (cluster, node)`: the labels, and those that tell clusters apart. */
  by(...labels: readonly string[]): string {
    return `by (${[...this.dialect.scope, ...labels].join(', ')})`;
  }

  /** `on (cluster, node)`. */
  on(...labels: readonly string[]): string {
    return `on (${[...this.dialect.scope, ...labels].join(', ')})`;
  }

  /** The latest value, though a scrape was missed or the exporter is being replaced by another one. */
  latest(selector: string): string {
    return `last_over_time(${selector}[${formatDuration(this.settings.gap)}])`;
  }
}

/** A duration of the settings as a number in a query. */
export function seconds(milliseconds: number): number {
  return milliseconds / 1000;
}

/** Indents all lines but the first, to put a query into another one. */
export function indent(query: string, spaces = 2): string {
  return query.replaceAll('\n', `\n${' '.repeat(spaces)}`);
}
