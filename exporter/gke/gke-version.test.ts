import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GkeVersion, isAtLeast, parseGkeVersion } from './gke-version.ts';

describe('parseGkeVersion', () => {
  it.each([
    ['1.35.6-gke.1234000', [1, 35, 6, 1_234_000]],
    ['v1.35.6-gke.1234000', [1, 35, 6, 1_234_000]],
  ])('reads %s', (text, version) => {
    expect(parseGkeVersion(text)).toEqual(version);
  });

  it.each([
    '',
    '1.35',
    '1.35.6',
    'v1.32.1-eks-5d632ec',
    '1.35.6-gke.',
    '1.35.6-gke.1-extra',
    'vv1.35.6-gke.1',
  ])('reads nothing from "%s"', (text) => {
    expect(parseGkeVersion(text)).toBeUndefined();
  });
});

describe('isAtLeast', () => {
  it.each([
    ['1.31.1-gke.2008000', '1.31.1-gke.2008000', true],
    ['1.31.1-gke.2008001', '1.31.1-gke.2008000', true],
    ['1.31.1-gke.2007999', '1.31.1-gke.2008000', false],
    ['1.31.10-gke.1', '1.31.1-gke.2008000', true],
    ['1.31.1-gke.2008000', '1.31.10-gke.1', false],
    ['1.32.0-gke.1', '1.31.9-gke.9999999', true],
    ['2.0.0-gke.1', '1.99.99-gke.9999999', true],
  ])('%s against %s: %s', (version, first, expected) => {
    expect(isAtLeast(parseGkeVersion(version) as GkeVersion, parseGkeVersion(first) as GkeVersion)).toBe(
      expected,
    );
  });

  it('orders any two versions in one way, unless they are equal', () => {
    const number = fc.nat({ max: 3 });
    const version = fc.tuple(number, number, number, number);
    fc.assert(
      fc.property(version, version, (one, other) => {
        const isSame = one.join() === other.join();
        expect(isAtLeast(one, other) && isAtLeast(other, one)).toBe(isSame);
        expect(isAtLeast(one, other) || isAtLeast(other, one)).toBe(true);
      }),
    );
  });
});
