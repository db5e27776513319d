import { expect, it } from 'vitest';
import { parseGracefulTermination } from './graceful-termination.ts';

const KEY = 'maintenance-experience.yaml';

it.each([
  ['gracefulTermination: true', true],
  ['gracefulTermination: false', false],
  ['# nothing\n', false],
  ['', false],
  ['other: 1\n', false],
])('reads %j as %s', (text, enabled) => {
  expect(parseGracefulTermination({ data: { [KEY]: text } })).toEqual({ enabled, invalid: undefined });
});

it('takes a ConfigMap without the key for off', () => {
  expect(parseGracefulTermination({}).enabled).toBe(false);
  expect(parseGracefulTermination({ data: { other: 'x' } }).enabled).toBe(false);
});

it.each([
  'gracefulTermination: yes please',
  'gracefulTermination: [',
  '- a\n- b',

  'just text',
])('cannot read %j, and says so', (text) => {
  expect(parseGracefulTermination({ data: { [KEY]: text } })).toEqual({
    enabled: undefined,
    invalid: { source: 'configmap', field: KEY, value: text },
  });
});
