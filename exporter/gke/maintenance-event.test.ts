import { describe, expect, it } from 'vitest';
import { OTHER_EVENT, parseMaintenanceEvent } from './maintenance-event.ts';

const UID = '0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0';
const EVENT = {
  metadata: {
    name: 'n.17',
    annotations: { 'maintenance.gke.io/nodepool-name': 'a4' },
    creationTimestamp: '2026-12-01T10:00:00Z',
  },
  involvedObject: { kind: 'Node', name: 'n', uid: UID },
  reason: 'MaintenanceWindowScheduled',
  firstTimestamp: '2026-12-01T10:00:00Z',
  lastTimestamp: '2026-12-01T10:00:05Z',
};
const AT = Date.parse('2026-12-01T10:00:05Z') / 1000;

describe('parseMaintenanceEvent', () => {
  it('reads an Event of the node termination handler', () => {
    expect(parseMaintenanceEvent(EVENT)).toEqual({
      node: 'n',
      nodeUid: UID,
      nodePool: 'a4',
      kind: 'scheduled',
      timestamp: AT,
    });
  });

  it.each([
    ['MaintenanceWindowScheduled', 'scheduled'],
    ['MaintenanceWindowRescheduled', 'rescheduled'],
    ['MaintenanceWindowStarted', 'started'],
    ['MaintenanceWindowCancelled', 'cancelled'],
    ['MaintenanceWindowCleared', 'cleared'],
    ['TerminateOnHostMaintenance', 'terminating'],
    ['CustomerTriggeredMaintenance', 'requested'],
    ['PodEvictionComplete', 'evicted'],
    ['NodeMaintenanceScheduled', 'scheduled'],
    ['MaintenanceStarted', 'started'],
    ['NoPendingMaintenance', 'cleared'],
  ])('takes the reason %s for %s', (reason, kind) => {
    expect(parseMaintenanceEvent({ ...EVENT, reason })).toMatchObject({ kind });
  });

  it.each([
    ['of another reason', { ...EVENT, reason: 'NodeNotReady' }],
    ['without a reason', { ...EVENT, reason: undefined }],
    ['that is no object', 'MaintenanceStarted'],
  ])('leaves an Event %s to others', (_, event) => {
    expect(parseMaintenanceEvent(event)).toBe(OTHER_EVENT);
  });

  it.each([
    [
      'its series',
      { series: { lastObservedTime: '2026-12-01T11:00:00.500000Z' } },
      '2026-12-01T11:00:00.500Z',
    ],
    ['its last time', {}, '2026-12-01T10:00:05Z'],
    ['its event time', { lastTimestamp: null, eventTime: '2026-12-01T12:00:00Z' }, '2026-12-01T12:00:00Z'],
    ['its first time', { lastTimestamp: null }, '2026-12-01T10:00:00Z'],
    ['its creation', { lastTimestamp: null, firstTimestamp: null }, '2026-12-01T10:00:00Z'],
  ])('takes the time of %s', (_, times, at) => {
    expect(parseMaintenanceEvent({ ...EVENT, ...times })).toMatchObject({ timestamp: Date.parse(at) / 1000 });
  });

  it('does without annotations, and does not take a name for a uid', () => {
    const trailing = { ...EVENT, metadata: {}, involvedObject: { kind: 'Node', name: 'n', uid: 'n' } };
    expect(parseMaintenanceEvent(trailing)).toMatchObject({ nodeUid: undefined, nodePool: undefined });
  });

  it.each([
    ['a Pod', { ...EVENT, involvedObject: { kind: 'Pod', name: 'p' } }],
    ['nothing', { ...EVENT, involvedObject: undefined }],
    ['no time', { ...EVENT, metadata: {}, firstTimestamp: null, lastTimestamp: null }],
    ['a time that is none', { ...EVENT, lastTimestamp: 'yesterday' }],
  ])('throws for an Event about %s', (_, event) => {
    expect(() => parseMaintenanceEvent(event)).toThrow();
  });
});
