import process from 'node:process';
import {
  configureSync,
  getJsonLinesFormatter,
  getLogfmtFormatter,
  getLogger,
  type Logger,
} from '@logtape/logtape';
import type { Config } from './config/config.ts';

const ROOT = 'gke-disruption-exporter';

/**
 * Sets where log lines go and what they look like, for the whole process: one line a record, newlines escaped.
 * `write` takes whole lines; the default is standard error.
 */
export function configureLog(
  { level, format }: Config['log'],
  write: (line: string) => void = (line) => process.stderr.write(line),
): void {
  const formatter =
    format === 'json' ? getJsonLinesFormatter({ properties: 'flatten' }) : getLogfmtFormatter();
  configureSync({
    reset: true,
    sinks: { stderr: (record) => write(formatter(record)) },
    loggers: [
      { category: ROOT, lowestLevel: level === 'warn' ? 'warning' : level, sinks: ['stderr'] },
      { category: ['logtape', 'meta'], lowestLevel: 'error', sinks: ['stderr'] },
    ],
  });
}

/** The logger of a room of the house. */
export function logger(room: string): Logger {
  return getLogger([ROOT, room]);
}
