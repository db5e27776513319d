import { describe, expect, it } from 'vitest';
import { formatAddress, parseListenAddress } from './listen-address.ts';

describe('parseListenAddress', () => {
  it.each([
    [':9453', undefined, 9453],
    [':0', undefined, 0],
    ['127.0.0.1:9453', '127.0.0.1', 9453],
    ['localhost:9453', 'localhost', 9453],
    ['[::1]:9453', '::1', 9453],
    ['[fe80::1%eth0]:9453', 'fe80::1%eth0', 9453],
  ])('reads %s', (text, host, port) => {
    expect(parseListenAddress(text)).toEqual({ host, port });
  });

  it.each([
    '',
    '9453',
    'localhost',
    'localhost:',
    ':65536',
    ':http',
    '::1:9453',
    'http://localhost:9453',
    '[::1]',
    ':9453 ',
  ])('reads nothing from "%s"', (text) => {
    expect(parseListenAddress(text)).toBeUndefined();
  });
});

describe('formatAddress', () => {
  it.each([
    ['127.0.0.1', 9453, '127.0.0.1:9453'],
    ['::', 9453, '[::]:9453'],
    ['', 9453, ':9453'],
  ])('writes %s and %d as %s', (host, port, text) => {
    expect(formatAddress(host, port)).toBe(text);
  });
});
