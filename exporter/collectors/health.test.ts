import { getLogger, type LogRecord, resetSync } from '@logtape/logtape';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { captureLog } from '../../test/captured-log.ts';
import { Telemetry } from '../metrics/telemetry.ts';
import { CollectorHealth } from './health.ts';

let now: number;
let records: readonly LogRecord[];
let telemetry: Telemetry;

function health(maxAge?: number): CollectorHealth {
  return new CollectorHealth({
    collector: 'nodes',
    telemetry,
    log: getLogger('test'),
    maxAge,
    now: () => now,
  });
}

async function seriesValue(family: string): Promise<string | undefined> {
  return (await telemetry.expose('text'))
    .split('\n')
    .find((line) => line.startsWith(`${family}{`))
    ?.split(' ')
    .at(-1);
}

function lines(): string[] {
  return records.map(({ level, rawMessage }) => `${level}: ${String(rawMessage)}`);
}

beforeEach(() => {
  now = 1_000_000;
  telemetry = new Telemetry();
  records = captureLog();
});
afterEach(() => resetSync());

describe('CollectorHealth', () => {
  it('begins down and not fresh', async () => {
    const nodes = health();
    expect(nodes.isFresh).toBe(false);
    expect(nodes.description).toBe('no success yet');
    expect(await seriesValue('gke_disruption_collector_up')).toBe('0');
    expect(await seriesValue('gke_disruption_collector_last_success_timestamp_seconds')).toBeUndefined();
  });

  it('is up and fresh after a full reading', async () => {
    const nodes = health();
    nodes.succeeded(0.25);
    expect(nodes.isFresh).toBe(true);
    expect(nodes.description).toBe('ok');
    expect(await seriesValue('gke_disruption_collector_up')).toBe('1');
    expect(await seriesValue('gke_disruption_collector_last_success_timestamp_seconds')).toBe('1000');
    expect(await seriesValue('gke_disruption_collector_duration_seconds')).toBe('0.25');
  });

  it('is not fresh by a word of its source before a full reading', () => {
    const nodes = health();
    nodes.heard();
    expect(nodes.isFresh).toBe(false);
  });

  it('ages, and every word of its source makes it young again', () => {
    const nodes = health(60_000);
    nodes.succeeded(0);
    now += 59_999;
    expect(nodes.isFresh).toBe(true);
    nodes.heard();
    now += 59_999;
    expect(nodes.isFresh).toBe(true);
    now += 1;
    expect(nodes.isFresh).toBe(false);
    expect(nodes.description).toBe('data too old');
  });

  it('stays fresh through failures, and is down', async () => {
    const nodes = health(60_000);
    nodes.succeeded(0);
    nodes.failed('timeout', 'no answer');
    expect(nodes.isFresh).toBe(true);
    expect(nodes.description).toBe('ok, but the latest attempt failed: timeout');
    expect(await seriesValue('gke_disruption_collector_up')).toBe('0');
    nodes.heard();
    expect(nodes.description).toBe('ok');
    expect(await seriesValue('gke_disruption_collector_up')).toBe('1');
  });

  it('counts every failure, and writes one line for a row of the same', async () => {
    const nodes = health();
    nodes.failed('timeout', 'a');
    nodes.failed('timeout', 'b');
    nodes.failed('forbidden', 'c');
    nodes.succeeded(0);
    nodes.failed('forbidden', 'd');
    expect(lines()).toEqual([
      'warning: collector failed, retrying',
      'debug: collector failed again',
      'warning: collector failed, retrying',
      'info: collector recovered',
      'warning: collector failed, retrying',
    ]);
    expect((await telemetry.expose('text')).match(/^gke_disruption_collector_errors_total.*$/gmu)).toEqual([
      'gke_disruption_collector_errors_total{collector="nodes",reason="timeout"} 2',
      'gke_disruption_collector_errors_total{collector="nodes",reason="forbidden"} 2',
    ]);
  });

  it('is not fresh any more after it was reset', () => {
    const nodes = health();
    nodes.succeeded(0);
    nodes.reset();
    expect(nodes.isFresh).toBe(false);
  });

  describe('of a source with parts', () => {
    it('is up and fresh once each part was read', async () => {
      const projects = health();
      projects.expect(['a', 'b']);
      projects.succeeded(1, 'a');
      expect([projects.isFresh, await seriesValue('gke_disruption_collector_up')]).toEqual([false, '0']);
      projects.succeeded(1, 'b');
      expect([projects.isFresh, await seriesValue('gke_disruption_collector_up')]).toEqual([true, '1']);
    });

    it('is down while one part fails, tells each failure once, and what recovered', async () => {
      const projects = health();
      projects.expect(['a', 'b']);
      for (let count = 0; count < 3; count += 1) {
        projects.failed('quota', 'a is over its quota', 'a');
        projects.failed('quota', 'b is over its quota', 'b');
      }
      projects.succeeded(1, 'b');
      expect(projects.description).toBe('no success yet: quota (a)');
      expect(await seriesValue('gke_disruption_collector_up')).toBe('0');
      projects.succeeded(1, 'a');
      expect(projects.description).toBe('ok');
      expect(lines().filter((line) => !line.startsWith('debug'))).toEqual([
        'warning: collector failed, retrying',
        'warning: collector failed, retrying',
        'info: collector recovered',
        'info: collector recovered',
      ]);
    });

    it('forgets a failure of the whole when a part succeeds', () => {
      const projects = health();
      projects.failed('identity', 'which cluster is this?');
      projects.expect(['a']);
      projects.succeeded(1, 'a');
      expect(projects.description).toBe('ok');
    });
  });
});
