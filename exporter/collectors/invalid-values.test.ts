import { getLogger, type LogRecord, resetSync } from '@logtape/logtape';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { captureLog } from '../../test/captured-log.ts';
import { Telemetry } from '../metrics/telemetry.ts';
import { InvalidValues } from './invalid-values.ts';

let now: number;
let records: readonly LogRecord[];
let telemetry: Telemetry;
let invalidValues: InvalidValues;

beforeEach(() => {
  now = 0;
  telemetry = new Telemetry();
  records = captureLog();
  invalidValues = new InvalidValues(telemetry, getLogger('test'), () => now);
});
afterEach(() => resetSync());

function report(value: string, subject = 'node-1'): void {
  invalidValues.report({ source: 'label', field: 'scheduled-maintenance-time', value }, subject);
}

async function counted(): Promise<number> {
  const pattern =
    /^gke_disruption_invalid_values_total\{source="label",field="scheduled-maintenance-time"\} (?<count>\d+)$/mu;
  return Number(pattern.exec(await telemetry.expose('text'))?.groups?.count ?? 0);
}

describe('InvalidValues', () => {
  it('counts and logs a value once, on however many nodes and however often it is seen', async () => {
    report('soon');
    report('soon');
    report('soon', 'node-2');
    expect(await counted()).toBe(1);
    expect(records.map(({ properties }) => properties)).toEqual([
      { source: 'label', field: 'scheduled-maintenance-time', value: 'soon', subject: 'node-1' },
    ]);
  });

  it('counts another value of the same field', async () => {
    report('soon');
    report('later');
    expect(await counted()).toBe(2);
    expect(records).toHaveLength(2);
  });

  it('counts all and logs few when a format changed on every node', async () => {
    for (let number = 0; number < 1000; number += 1) report(`value ${number}`);
    expect(await counted()).toBe(1000);
    expect(records).toHaveLength(21);
    expect(records.at(-1)?.rawMessage).toBe('further such values are counted, but not logged for a minute');
    now = 60_000;
    report('one more');
    expect(records).toHaveLength(22);
  });

  it('remembers so many values and no more', async () => {
    for (let number = 0; number < 10_001; number += 1) report(`value ${number}`);
    report('value 10000');
    expect(await counted()).toBe(10_001);
    report('value 0');
    expect(await counted()).toBe(10_002);
  });
});
