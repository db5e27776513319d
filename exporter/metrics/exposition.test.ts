import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderHeader, renderSample } from './exposition.ts';

describe('renderSample', () => {
  it.each([
    ['no labels', {}, 1, 'm 1\n'],
    ['labels in their order', { b: '1', a: '2' }, 1.5, 'm{b="1",a="2"} 1.5\n'],
    ['a backslash', { l: 'a\\b' }, 1, 'm{l="a\\\\b"} 1\n'],
    ['a quote', { l: 'a"b' }, 1, 'm{l="a\\"b"} 1\n'],
    ['a line break', { l: 'a\nb' }, 1, 'm{l="a\\nb"} 1\n'],
    ['letters of any script', { l: 'Wärme 🔥' }, 1, 'm{l="Wärme 🔥"} 1\n'],
    ['a control character', { l: 'a\u0000b\u001bc\rd' }, 1, 'm{l="a\ufffdb\ufffdc\ufffdd"} 1\n'],
    ['half of a surrogate pair', { l: 'a\ud800b' }, 1, 'm{l="a\ufffdb"} 1\n'],
    ['an empty value', { l: '' }, 1, 'm{l=""} 1\n'],
    ['a large instant', {}, 253_402_300_799, 'm 253402300799\n'],
    ['a fraction', {}, 1_796_151_601.25, 'm 1796151601.25\n'],
    ['a very large number', {}, 1e22, 'm 1e+22\n'],
    ['infinity', {}, Number.POSITIVE_INFINITY, 'm +Inf\n'],
    ['negative infinity', {}, Number.NEGATIVE_INFINITY, 'm -Inf\n'],
  ])('writes %s', (_, labels, value, line) => {
    expect(renderSample('m', labels, value)).toBe(line);
  });

  it('writes one line, from which the value can be read back, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const line = renderSample('m', { l: value }, 1);
        expect(line.indexOf('\n')).toBe(line.length - 1);
        const escaped = /^m\{l="(?<value>(?:\\.|[^\\"])*)"\} 1\n$/su.exec(line)?.groups?.value;
        const readBack = escaped?.replace(/\\(.)/gu, (_, letter: string) => (letter === 'n' ? '\n' : letter));
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are replaced
        expect(readBack).toBe(value.toWellFormed().replace(/[\u0000-\u0009\u000b-\u001f\u007f]/gu, '\ufffd'));
      }),
    );
  });
});

describe('renderHeader', () => {
  it.each([
    ['a gauge as text', 'm', 'gauge', 'text', '# HELP m It "is" \\\\ so.\n# TYPE m gauge\n'],
    [
      'a gauge as OpenMetrics',
      'm',
      'gauge',
      'openmetrics',
      '# HELP m It \\"is\\" \\\\ so.\n# TYPE m gauge\n',
    ],
    [
      'a counter as text',
      'm_total',
      'counter',
      'text',
      '# HELP m_total It "is" \\\\ so.\n# TYPE m_total counter\n',
    ],
    [
      'a counter as OpenMetrics',
      'm_total',
      'counter',
      'openmetrics',
      '# HELP m It \\"is\\" \\\\ so.\n# TYPE m counter\n',
    ],
  ] as const)('writes %s', (_, name, type, format, header) => {
    expect(renderHeader(name, { type, help: 'It "is" \\ so.' }, format)).toBe(header);
  });
});
