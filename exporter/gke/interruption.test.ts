import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type InterruptionTimeSeries, KNOWN_CAUSES, readInterruptions } from './interruption.ts';

const NOW = 1_796_000_000_000;
const POOL: InterruptionTimeSeries = {
  metricLabels: { interruption_type: 'MaintenanceEvent', interruption_reason: 'HW/SW Maintenance' },
  resourceLabels: { project_id: 'p', location: 'l', cluster_name: 'c', node_pool_name: 'np' },
  points: [{ endTime: NOW - 1000, value: 2 }],
};

describe('readInterruptions', () => {
  it('reads a point of a node pool', () => {
    expect(readInterruptions('node_pool', POOL, NOW)).toEqual({
      points: [
        {
          resource: { kind: 'node_pool', projectId: 'p', location: 'l', clusterName: 'c', name: 'np' },
          cause: { type: 'MaintenanceEvent', reason: 'HW/SW Maintenance' },
          endTime: NOW - 1000,
          count: 2,
        },
      ],
      invalid: [],
    });
  });

  it.each<[string, Partial<InterruptionTimeSeries>, string]>([
    [
      'a resource without a name',
      { resourceLabels: { project_id: 'p', location: 'l', cluster_name: 'c' } },
      'labels',
    ],
    ['no type', { metricLabels: { interruption_reason: 'HostError' } }, 'labels'],
    ['an empty reason', { metricLabels: { interruption_type: 't', interruption_reason: '' } }, 'labels'],
    [
      'a reason that is longer than any',
      { metricLabels: { interruption_type: 't', interruption_reason: 'x'.repeat(257) } },
      'labels',
    ],
    ['a negative count', { points: [{ endTime: NOW, value: -1 }] }, 'point'],
    ['half an interruption', { points: [{ endTime: NOW, value: 0.5 }] }, 'point'],
    ['a count that cannot be', { points: [{ endTime: NOW, value: 1e300 }] }, 'point'],
    ['a point that ends in the future', { points: [{ endTime: NOW + 1, value: 1 }] }, 'point'],
  ])('takes nothing of %s, and reports it', (_, wrong, what) => {
    const { points, invalid } = readInterruptions('node_pool', { ...POOL, ...wrong }, NOW);
    expect(points).toEqual([]);
    expect(invalid).toEqual([
      { source: 'monitoring', field: `node_pool/interruption_count ${what}`, value: expect.any(String) },
    ]);
  });

  it('takes the good points beside a bad one', () => {
    const points = [
      { endTime: NOW - 2000, value: 1 },
      { endTime: NOW - 1000, value: Number.NaN },
    ];
    const read = readInterruptions('node_pool', { ...POOL, points }, NOW);
    expect(read.points.map(({ endTime }) => endTime)).toEqual([NOW - 2000]);
    expect(read.invalid).toHaveLength(1);
  });

  it('never throws, whatever the labels', () => {
    const labels = fc.dictionary(fc.string(), fc.string());
    fc.assert(
      fc.property(labels, labels, fc.double(), (metricLabels, resourceLabels, value) => {
        const points = [{ endTime: NOW, value }];
        const read = readInterruptions('node', { metricLabels, resourceLabels, points }, NOW);
        expect(read.points.length + read.invalid.length).toBe(1);
      }),
    );
  });
});

it('knows each type with each reason', () => {
  expect(KNOWN_CAUSES).toHaveLength(30);
});
