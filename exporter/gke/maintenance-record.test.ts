import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type MaintenanceRecord,
  parseMaintenanceRecord,
  parseMaintenanceRecordText,
} from './maintenance-record.ts';

const WINDOW_START = Date.parse('2026-12-01T19:00:01Z') / 1000;
const WINDOW_END = Date.parse('2026-12-01T21:00:01Z') / 1000;

const RECORD: MaintenanceRecord = {
  windowStart: WINDOW_START,
  latestWindowStart: WINDOW_START + 60,
  windowEnd: WINDOW_END,
  canReschedule: true,
  status: 'PENDING',
  type: 'SCHEDULED',
  reasons: ['FAILURE_GPU_XID', 'FAILURE_GPU'],
};

/** The same record as each source writes it. */
const METADATA_JSON = {
  can_reschedule: 'true',
  latest_window_start_time: '2026-12-01T19:01:01Z',
  maintenance_reasons: ['FAILURE_GPU_XID', 'FAILURE_GPU'],
  maintenance_status: 'PENDING',
  type: 'SCHEDULED',
  window_end_time: '2026-12-01T21:00:01Z',
  window_start_time: '2026-12-01T19:00:01Z',
};
const ANNOTATION = {
  can_reschedule: 'true',
  latest_window_start_time: '2026-12-01T19:01:01+00:00',
  maintenance_reason: ['FAILURE_GPU_XID', 'FAILURE_GPU'],
  maintenance_status: 'PENDING',
  start_time_window: { earliest: '2026-12-01T19:00:01+00:00', latest: '2026-12-01T21:00:01+00:00' },
  type: 'SCHEDULED',
  window_end_time: '2026-12-01T21:00:01+00:00',
  window_start_time: '2026-12-01T19:00:01+00:00',
};
const COMPUTE = {
  canReschedule: true,
  latestWindowStartTime: '2026-12-01T19:01:01Z',
  maintenanceOnShutdown: true,
  maintenanceReasons: ['FAILURE_GPU_XID', 'FAILURE_GPU'],
  maintenanceStatus: 'PENDING',
  type: 'SCHEDULED',
  windowEndTime: '2026-12-01T21:00:01Z',
  windowStartTime: '2026-12-01T19:00:01Z',
};
const METADATA_LINES = `can_reschedule true
latest_window_start_time 2026-12-01T19:01:01Z
maintenance_reasons FAILURE_GPU_XID FAILURE_GPU
maintenance_status PENDING
type SCHEDULED
window_end_time 2026-12-01T21:00:01Z
window_start_time 2026-12-01T19:00:01Z
`;

function withoutWindowTimes(): Partial<typeof ANNOTATION> {
  const { window_end_time: _end, window_start_time: _start, ...rest } = ANNOTATION;
  return rest;
}

describe('parseMaintenanceRecordText', () => {
  it.each([
    ['the metadata server as JSON', JSON.stringify(METADATA_JSON)],
    [
      'the metadata server in its other spelling of true',
      JSON.stringify({ ...METADATA_JSON, can_reschedule: 'TRUE' }),
    ],
    ['the metadata server with a boolean', JSON.stringify({ ...METADATA_JSON, can_reschedule: true })],
    ['the metadata server in plain lines', METADATA_LINES],
    ['plain lines with the line ends of HTTP', METADATA_LINES.replaceAll('\n', '\r\n')],
    ['plain lines with commas between reasons', METADATA_LINES.replace('XID FAILURE', 'XID,FAILURE')],
    [
      'plain lines with reasons as JSON',
      METADATA_LINES.replace('FAILURE_GPU_XID FAILURE_GPU', '["FAILURE_GPU_XID","FAILURE_GPU"]'),
    ],
    ['the node annotation', JSON.stringify(ANNOTATION)],
    ['the node annotation with only the nested window', JSON.stringify(withoutWindowTimes())],
    ['the Compute API', JSON.stringify(COMPUTE)],
    [
      'a reason that is sent twice',
      JSON.stringify({ ...COMPUTE, maintenanceReasons: [...COMPUTE.maintenanceReasons, 'FAILURE_GPU'] }),
    ],
    ['white space around it', `\n  ${JSON.stringify(ANNOTATION)}\n`],
    ['fields that are new to us', JSON.stringify({ ...ANNOTATION, priority: 7, windows: [] })],
    ['fields that are null', JSON.stringify({ ...ANNOTATION, maintenance_reasons: null })],
  ])('reads the same record from %s', (_, text) => {
    expect(parseMaintenanceRecordText(text, 'annotation')).toEqual({ record: RECORD, invalid: [] });
  });

  it.each([
    ['empty text', ''],
    ['NONE', 'NONE'],
    ['NONE with a line end', 'NONE\n'],
    ['NONE as a JSON string', '"NONE"'],
    ['an empty object', '{}'],
    ['an object of empty lists', '{"maintenance_reasons":[]}'],
  ])('reads no maintenance from %s', (_, text) => {
    expect(parseMaintenanceRecordText(text, 'metadata')).toEqual({ record: undefined, invalid: [] });
  });

  it.each([
    ['text that is no JSON', 'maintenance soon', 'maintenance soon'],
    ['JSON that is cut off', '{"type":"SCHED', '{"type":"SCHED'],
    ['a list', '[1]', '[1]'],
    ['a number', '5', '5'],
    ['null', 'null', 'null'],
    ['lines of which one has no value', 'type SCHEDULED\nbroken', 'type SCHEDULED\nbroken'],
    ['very long text', 'x'.repeat(200_000), `${'x'.repeat(100)}… (200000 characters)`],
  ])('reports %s as one value that cannot be read', (_, text, value) => {
    expect(parseMaintenanceRecordText(text, 'annotation')).toEqual({
      record: undefined,
      invalid: [{ source: 'annotation', field: 'upcoming-maintenance', value }],
    });
  });

  it.each<[string, Record<string, unknown>, string, string, Partial<MaintenanceRecord>]>([
    ['a start that is a word', { window_start_time: 'soon' }, 'window_start_time', 'soon', {}],
    ['a start that is a number', { window_start_time: 5 }, 'window_start_time', '5', {}],
    [
      'an end without offset',
      { window_end_time: '2026-12-01T21:00:01' },
      'window_end_time',
      '2026-12-01T21:00:01',
      {},
    ],
    [
      'a latest start that is empty',
      { latest_window_start_time: '' },
      'latest_window_start_time',
      '',
      { latestWindowStart: undefined },
    ],
    [
      'can_reschedule as a word',
      { can_reschedule: 'maybe' },
      'can_reschedule',
      'maybe',
      { canReschedule: undefined },
    ],
    [
      'can_reschedule as a number',
      { can_reschedule: 1 },
      'can_reschedule',
      '1',
      { canReschedule: undefined },
    ],
    ['a status that is empty', { maintenance_status: '' }, 'maintenance_status', '', { status: undefined }],
    ['a type that is an object', { type: { a: 1 } }, 'type', '{"a":1}', { type: undefined }],
    [
      'reasons as text',
      { maintenance_reason: 'FAILURE_GPU' },
      'maintenance_reason',
      'FAILURE_GPU',
      { reasons: [] },
    ],
    [
      'one reason of another type',
      { maintenance_reason: ['FAILURE_GPU', 7] },
      'maintenance_reason',
      '7',
      { reasons: ['FAILURE_GPU'] },
    ],
    [
      'one reason beyond all measure',
      { maintenance_reason: ['A', 'B'.repeat(129)] },
      'maintenance_reason',
      `${'B'.repeat(100)}… (129 characters)`,
      { reasons: ['A'] },
    ],
    ['a nested window that is text', { start_time_window: 'soon' }, 'start_time_window', 'soon', {}],
  ])('leaves out %s, reports it, and keeps the rest', (_, fields, field, value, expected) => {
    const parsed = parseMaintenanceRecordText(JSON.stringify({ ...ANNOTATION, ...fields }), 'annotation');
    expect(parsed.invalid).toEqual([{ source: 'annotation', field, value }]);
    expect(parsed.record).toEqual({ ...RECORD, ...expected });
  });

  it('takes at most 32 reasons', () => {
    const reasons = Array.from({ length: 40 }, (_, number) => `REASON_${number}`);
    const { record, invalid } = parseMaintenanceRecordText(
      JSON.stringify({ maintenance_reasons: reasons }),
      'compute',
    );
    expect(record?.reasons).toEqual(reasons.slice(0, 32));
    expect(invalid).toHaveLength(8);
  });

  it('keeps quotes, line breaks and letters of any script in a reason', () => {
    const reasons = ['say "no"', 'two\nlines', 'back\\slash', 'Wärme 🔥'];
    expect(
      parseMaintenanceRecordText(JSON.stringify({ maintenance_reasons: reasons }), 'annotation').record
        ?.reasons,
    ).toEqual(reasons);
  });

  it('never throws, and gives a record or nothing, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const { record, invalid } = parseMaintenanceRecordText(text, 'annotation');
        expect(record === undefined || typeof record === 'object').toBe(true);
        expect(invalid.length).toBeLessThan(100);
      }),
    );
  });
});

describe('parseMaintenanceRecord', () => {
  const anything = fc.anything({ withBigInt: false });
  const recordLike = fc.record(
    {
      can_reschedule: fc.oneof(fc.boolean(), fc.constantFrom('true', 'FALSE', 'perhaps'), anything),
      window_start_time: fc.oneof(fc.constant('2026-12-01T19:00:01Z'), anything),
      start_time_window: fc.oneof(fc.record({ earliest: anything, latest: anything }), anything),
      maintenanceStatus: fc.oneof(fc.constantFrom('PENDING', 'ONGOING'), anything),
      type: anything,
      maintenance_reasons: fc.oneof(fc.array(fc.oneof(fc.string(), anything)), anything),
      maintenanceReason: anything,
    },
    { requiredKeys: [] },
  );

  it('never throws, and what it reads has the promised types, whatever the fields', () => {
    fc.assert(
      fc.property(fc.oneof(recordLike, anything), (value) => {
        const { record } = parseMaintenanceRecord(value, 'compute');
        if (record === undefined) return;
        expect(
          [record.windowStart, record.latestWindowStart, record.windowEnd].every(
            (instant) => instant === undefined || Number.isFinite(instant),
          ),
        ).toBe(true);
        expect([undefined, true, false]).toContain(record.canReschedule);
        expect(
          [record.status, record.type].every(
            (word) => word === undefined || (typeof word === 'string' && word !== ''),
          ),
        ).toBe(true);
        expect(new Set(record.reasons).size).toBe(record.reasons.length);
      }),
      { numRuns: 1000 },
    );
  });
});
