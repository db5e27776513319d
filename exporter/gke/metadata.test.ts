import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodePoolOf, readUpcomingMaintenance, readWord } from './metadata.ts';

const NOTHING = { value: undefined, invalid: [] };

describe('readUpcomingMaintenance', () => {
  it.each([
    [
      '503 before the first notification',
      503,
      '{ "error": "no notifications have been received yet, try again later" }',
    ],
    ['NONE', 200, 'NONE'],
    ['"NONE"', 200, '"NONE"'],
    ['an empty object', 200, '{}'],
    ['an empty answer', 200, ''],
    ['404 where the machine type has no such thing', 404, 'Not found'],
  ])('takes %s for nothing', (_, status, body) => {
    expect(readUpcomingMaintenance({ status, body })).toEqual(NOTHING);
  });

  it.each([
    ['a plain 503', 503, 'Service Unavailable'],
    ['an empty 503', 503, ''],
    ['500', 500, '{}'],
    ['403', 403, 'Forbidden'],
    ['a redirection', 302, ''],
  ])('takes %s for no answer', (_, status, body) => {
    expect(readUpcomingMaintenance({ status, body })).toBeUndefined();
  });

  it.each([
    [
      'JSON',
      '{"can_reschedule":"TRUE","maintenance_status":"PENDING","window_start_time":"2026-12-01T19:00:01Z"}',
    ],
    ['lines', 'can_reschedule true\nmaintenance_status PENDING\nwindow_start_time 2026-12-01T19:00:01Z\n'],
  ])('reads a record as %s', (_, body) => {
    expect(readUpcomingMaintenance({ status: 200, body })?.value).toMatchObject({
      canReschedule: true,
      status: 'PENDING',
      windowStart: Date.parse('2026-12-01T19:00:01Z') / 1000,
    });
  });

  it('reports what is neither', () => {
    expect(readUpcomingMaintenance({ status: 200, body: '<html>' })).toEqual({
      value: undefined,
      invalid: [{ source: 'metadata', field: 'upcoming-maintenance', value: '<html>' }],
    });
  });

  it('never throws, whatever the server sends', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (body) => {
        expect(readUpcomingMaintenance({ status: 200, body })).toBeDefined();
      }),
      { numRuns: 2000 },
    );
  });
});

describe('readWord', () => {
  it.each([
    ['TRUE', 'TRUE'],
    ['false\n', 'FALSE'],
    ['"MIGRATE"', 'MIGRATE'],
    ['TERMINATE_ON_HOST_MAINTENANCE', 'TERMINATE_ON_HOST_MAINTENANCE'],
    ['', undefined],
  ])('reads %j as %s', (body, value) => {
    expect(readWord('preempted', { status: 200, body })).toEqual({ value, invalid: [] });
  });

  it('takes 404 for nothing, and 503 for no answer', () => {
    expect(readWord('preempted', { status: 404, body: 'Not found' })).toEqual(NOTHING);
    expect(readWord('preempted', { status: 503, body: '' })).toBeUndefined();
  });

  it.each(['<html>', 'x y', '1', 'A'.repeat(200)])('reports %j', (body) => {
    expect(readWord('preempted', { status: 200, body })?.invalid).toEqual([
      { source: 'metadata', field: 'preempted', value: expect.any(String) },
    ]);
  });
});

describe('nodePoolOf', () => {
  it.each([
    ['cloud.google.com/gke-nodepool=a4', 'a4'],
    ['a=b,cloud.google.com/gke-nodepool=spot-1,c=d\n', 'spot-1'],
    ['x.cloud.google.com/gke-nodepool=a', undefined],
    ['cloud.google.com/gke-nodepool=', undefined],
    ['', undefined],
  ])('finds in %j the pool %s', (labels, pool) => {
    expect(nodePoolOf(labels)).toBe(pool);
  });
});
