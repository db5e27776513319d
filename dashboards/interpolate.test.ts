import { describe, expect, it } from 'vitest';
import { InterpolationError, interpolate, type Scope } from './interpolate.ts';

const SCOPE: Scope = {
  from: 1_000_000,
  to: 87_400_000,
  interval: 60_000,
  scrapeInterval: 15_000,
  variables: {
    one: 'a.b',
    single: ['a.b'],
    several: ['a.b', 'c(d)'],
    all: { all: '.*' },
  },
};

/** `${…}`. */
function braced(reference: string): string {
  return `\${${reference}}`;
}

describe('interpolate', () => {
  it.each([
    ['[$__interval]', '[1m]'],
    ['$__interval_ms', '60000'],
    ['[$__range]', '[86400s]'],
    [`${braced('__range_s')} $__range_ms`, '86400 86400000'],
    ['$__from $__to', '1000000 87400000'],
    ['[$__rate_interval]', '[1m15s]'],
    ['"$one"', '"a.b"'],
    ['"$single"', String.raw`"a\\.b"`],
    [`"\${several}"`, String.raw`"(a\\.b|c\\(d\\))"`],
    [`"\${several:regex}"`, String.raw`"(a\.b|c\(d\))"`],
    [braced('several:pipe'), 'a.b|c(d)'],
    [braced('several:csv'), 'a.b,c(d)'],
    ['[[one]]', 'a.b'],
    ['x=~"$all"', 'x=~".*"'],
    ['"$1-$2"', '"$1-$2"'],
  ])('makes of %s what Grafana makes of it', (text, expected) => {
    expect(interpolate(text, SCOPE)).toBe(expected);
  });

  it('takes at least four scrapes for a rate', () => {
    expect(interpolate('$__rate_interval', { ...SCOPE, interval: 15_000, scrapeInterval: 30_000 })).toBe(
      '2m',
    );
  });

  it.each([
    ['$nobody', '$nobody: there is no such variable'],
    ['$toString', '$toString: there is no such variable'],
    [braced('one:html'), `${braced('one:html')}: unknown format html`],
  ])('refuses %s', (text, message) => {
    expect(() => interpolate(text, SCOPE)).toThrow(new InterpolationError(message));
  });
});
