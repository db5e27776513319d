import { describe, expect, it } from 'vitest';
import { dashboards } from './dashboards.ts';
import { queryInterval } from './interval.ts';
import { labelValues, listQueries } from './queries.ts';

const HOUR = 3_600_000;

describe('listQueries', () => {
  it('lists queries of variables, annotations and panels', () => {
    const queries = listQueries(dashboards().get('node'));
    expect(queries.find((query) => query.kind === 'variable')).toEqual({
      kind: 'variable',
      uid: 'gke-disruption-node',
      name: 'cluster',
      expr: 'gke_node_pool_nodes',
      label: 'cluster',
    });
    expect(queries.filter(({ kind }) => kind === 'annotation')).toHaveLength(4);
    expect(queries.find((query) => query.kind === 'panel' && query.panelId === 8)).toMatchObject({
      title: 'Interruptions',
      refId: 'A',
      type: 'range',
      format: 'time_series',
      minimumInterval: '1m',
      maxDataPoints: 120,
    });
    expect(queries.find((query) => query.kind === 'panel' && query.panelId === 10)).toMatchObject({
      type: 'instant',
      format: 'table',
    });
  });

  it('takes label_values apart, also with commas in the selector', () => {
    expect(labelValues('label_values(up{a="b", c="d"}, job)')).toEqual({
      expr: 'up{a="b", c="d"}',
      label: 'job',
    });
    expect(labelValues('label_values(job)')).toBeUndefined();
  });
});

describe('queryInterval', () => {
  it.each([
    [24 * HOUR, '1m', 120, 10 * 60_000],
    [HOUR, '1m', 120, 60_000],
    [7 * 24 * HOUR, '1m', 120, HOUR],
    [24 * HOUR, undefined, 1000, 60_000],
    [HOUR, undefined, 1000, 15_000],
    [7 * 24 * HOUR, '1d', 1000, 24 * HOUR],
  ])('of %i ms, at least %s, with %i points is %i ms', (range, minimum, maxDataPoints, expected) => {
    expect(queryInterval(range, { minimum, maxDataPoints })).toBe(expected);
  });
});
