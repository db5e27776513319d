import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';

describe('parseDuration', () => {
  it.each([
    ['0', 0],
    ['250ms', 250],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['28d', 2_419_200_000],
    ['1w', 604_800_000],
    ['1y', 31_536_000_000],
    ['1d2h3m4s5ms', 93_784_005],
  ])('reads %s', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each(['', '5', 's', '-5s', '1.5h', '5 m', '30m1h', '1h1h', '5M', '5m ', 'PT5M', '1e3s'])(
    'reads nothing from "%s"',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});

describe('formatDuration', () => {
  it.each([
    [0, '0s'],
    [90_000, '1m30s'],
    [3_600_000, '1h'],
    [2_419_200_000, '4w'],
    [2_592_000_000, '30d'],
    [1500, '1s500ms'],
  ])('writes %d ms as %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });

  it('writes what is read back as the same time', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10 ** 13 }), (milliseconds) => {
        expect(parseDuration(formatDuration(milliseconds))).toBe(milliseconds);
      }),
    );
  });
});
