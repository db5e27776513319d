import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRfc3339, parseUnixSeconds } from './instant.ts';

describe('parseUnixSeconds', () => {
  it.each([
    ['1733083200', 1_733_083_200],
    ['1', 1],
    ['253402300799', 253_402_300_799],
  ])('reads %s', (text, seconds) => {
    expect(parseUnixSeconds(text)).toBe(seconds);
  });

  it.each([
    ['empty text', ''],
    ['a word', 'soon'],
    ['a negative number', '-1'],
    ['an exponent', '1e999'],
    ['a number beyond the year 9999', '99999999999999999999'],
    ['milliseconds', '1733083200000'],
    ['zero, which stands for nothing planned', '0'],
    ['a fraction', '1733083200.5'],
    ['hexadecimal', '0x674d0000'],
    ['a sign', '+1733083200'],
    ['white space', ' 1733083200'],
    ['a line break', '1733083200\n'],
    ['leading zeros', '001733083200'],
    ['other digits of Unicode', '١٧٣٣٠٨٣٢٠٠'],
  ])('reads nothing from %s', (_, text) => {
    expect(parseUnixSeconds(text)).toBeUndefined();
  });

  it('gives back every instant of our calendar', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 253_402_300_799 }), (seconds) => {
        expect(parseUnixSeconds(String(seconds))).toBe(seconds);
      }),
    );
  });
});

describe('parseRfc3339', () => {
  it.each([
    ['UTC as Z', '2026-12-01T19:00:01Z', 1_796_151_601],
    ['UTC as an offset', '2026-12-01T19:00:01+00:00', 1_796_151_601],
    ['another offset', '2026-12-01T20:30:01+01:30', 1_796_151_601],
    ['a fraction of a second', '2026-12-01T19:00:01.250Z', 1_796_151_601.25],
    ['nanoseconds, down to milliseconds', '2026-12-01T19:00:01.123456789Z', 1_796_151_601.123],
    ['29 February of a leap year', '2028-02-29T00:00:00Z', 1_835_395_200],
  ])('reads %s', (_, text, seconds) => {
    expect(parseRfc3339(text)).toBe(seconds);
  });

  it.each([
    ['no offset', '2026-12-01T19:00:01'],
    ['a date only', '2026-12-01'],
    ['30 February', '2026-02-30T00:00:00Z'],
    ['29 February of another year', '2026-02-29T00:00:00Z'],
    ['31 November', '2026-11-31T00:00:00Z'],
    ['hour 24', '2026-12-01T24:00:00Z'],
    ['second 60', '2026-12-01T19:00:60Z'],
    ['an impossible offset', '2026-12-01T19:00:01+99:99'],
    ['Unix seconds', '1796151601'],
    ['a number', 1_796_151_601],
    ['a word', 'soon'],
    ['empty text', ''],
    ['null', null],
    ['an object', {}],
    ['a list', ['2026-12-01T19:00:01Z']],
  ])('reads nothing from %s', (_, text) => {
    expect(parseRfc3339(text)).toBeUndefined();
  });

  it('gives back every instant that JavaScript writes', () => {
    const years = {
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    };
    fc.assert(
      fc.property(fc.date(years), (date) => {
        expect(parseRfc3339(date.toISOString())).toBe(date.getTime() / 1000);
      }),
    );
  });
});
