import { configureSync, type LogRecord } from '@logtape/logtape';

/** From now on keeps what is logged under `test`, until `resetSync()` of LogTape. */
export function captureLog(): readonly LogRecord[] {
  const records: LogRecord[] = [];
  configureSync({
    sinks: { memory: (record) => records.push(record) },
    loggers: [
      { category: 'test', lowestLevel: 'debug', sinks: ['memory'] },
      { category: ['logtape', 'meta'], lowestLevel: 'error' },
    ],
  });
  return records;
}
