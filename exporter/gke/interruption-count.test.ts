import { describe, expect, it } from 'vitest';
import { COUNTING_TIMES, countedRange, ERA, horizon, nextChange, nextTurn } from './interruption-count.ts';
import { InterruptionSeries } from './interruption-series.ts';

const MINUTE = 60_000;
const B = 700 * ERA;
const { delay } = COUNTING_TIMES;

describe('countedRange', () => {
  it.each([
    [
      'in the middle of an era: all but the last six minutes',
      B + ERA / 2,
      { from: B, to: B + ERA / 2 - delay },
    ],
    ['just before an era ends', B + delay - 1, { from: B - ERA, to: B - 1 }],
    ['when it has ended: all of it', B + delay, { from: B - ERA, to: B }],
    ['for nine minutes', B + delay + 9 * MINUTE - 1, { from: B - ERA, to: B }],
    ['then nothing', B + delay + 9 * MINUTE, { from: B, to: B }],
    ['for five minutes', B + delay + 14 * MINUTE - 1, { from: B, to: B }],
    ['then the new era', B + delay + 14 * MINUTE, { from: B, to: B + 14 * MINUTE }],
  ])('%s', (_, now, range) => {
    expect(countedRange(now, COUNTING_TIMES)).toEqual(range);
  });

  it('never needs what is beyond the horizon', () => {
    for (let now = B - ERA; now < B + ERA; now += 7 * MINUTE) {
      expect(countedRange(now, COUNTING_TIMES).from).toBeGreaterThanOrEqual(horizon(now, COUNTING_TIMES));
    }
  });
});

describe('nextTurn', () => {
  it.each([
    ['the end of the last value', B + delay, B + delay + 9 * MINUTE],
    ['the end of zero', B + delay + 9 * MINUTE, B + delay + 14 * MINUTE],
    ['the end of the last value of the next era', B + delay + 14 * MINUTE, B + ERA + delay + 9 * MINUTE],
  ])('is %s', (_, now, turn) => {
    expect(nextTurn(now, COUNTING_TIMES)).toBe(turn);
  });
});

describe('nextChange', () => {
  const series = new InterruptionSeries();
  const at = B + ERA / 2;
  series.add(at, 1);
  it.each([
    ['when the point begins to count', at, at + delay],
    ['when it leaves the window of an hour', at + delay, at + delay + 60 * MINUTE],
    ['when it leaves that of a day', at + delay + 60 * MINUTE, at + delay + 24 * 60 * MINUTE],
    ['when it leaves that of a week', at + delay + 24 * 60 * MINUTE, at + delay + 7 * 24 * 60 * MINUTE],
    ['when the era ends', at + delay + 7 * 24 * 60 * MINUTE, B + ERA + delay + 9 * MINUTE],
  ])('is %s', (_, now, next) => {
    expect(nextChange(series, now, COUNTING_TIMES)).toBe(next);
  });
});
