import { InvalidArgumentError } from 'commander';
import { parseDuration } from './duration.ts';
import { type ListenAddress, parseListenAddress } from './listen-address.ts';

// How the value of a flag is read. Each throws what Commander shows beside the flag.

/** Refuses a flag that is given twice, which would silently mean its last value. */
export function once<T>(parse: (text: string) => T): (text: string) => T {
  let isGiven = false;
  return (text) => {
    if (isGiven) throw new InvalidArgumentError('It cannot be given twice.');
    isGiven = true;
    return parse(text);
  };
}

export function repeated<T>(
  parse: (text: string) => T,
): (text: string, previous: readonly T[] | undefined) => readonly T[] {
  return (text, previous) => [...(previous ?? []), parse(text)];
}

export function listenAddress(text: string): ListenAddress {
  const address = parseListenAddress(text);
  if (address === undefined)
    throw new InvalidArgumentError('Expected host:port, :port or [IPv6 address]:port.');
  return address;
}

export function path(text: string): string {
  if (!/^\/[\w/.~-]+$/u.test(text)) throw new InvalidArgumentError('Expected a path like /metrics.');
  if (RESERVED_PATHS.includes(text)) throw new InvalidArgumentError('Another page has this path.');
  return text;
}

/** Paths of the other pages, present and to come. */
const RESERVED_PATHS: readonly string[] = ['/livez', '/readyz'];

export function nonEmpty(text: string): string {
  if (text === '') throw new InvalidArgumentError('Expected a value.');
  return text;
}

export function domain(text: string): string {
  if (!/^(?:[\da-z](?:[\da-z-]{0,61}[\da-z])?\.)+[a-z]{2,63}$/u.test(text)) {
    throw new InvalidArgumentError('Expected a domain like googleapis.com.');
  }
  return text;
}

export function httpUrl(text: string): string {
  if (!(/^https?:\/\/[^/?#\s]+\/?$/u.test(text) && URL.canParse(text)))
    throw new InvalidArgumentError('Expected a URL like http://metadata.google.internal.');
  return text;
}

export function endpoint(text: string): string {
  if (!/^(?:http:\/\/)?(?:\[[\da-fA-F:]+\]|[\w.-]+):\d{1,5}$/u.test(text)) {
    throw new InvalidArgumentError('Expected host:port or http://host:port.');
  }
  return text;
}

export function positiveInteger(text: string): number {
  if (!/^[1-9]\d{0,8}$/u.test(text)) throw new InvalidArgumentError('Expected a whole number above 0.');
  return Number(text);
}

export function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined)
    throw new InvalidArgumentError('Expected a duration, such as 25s, 5m, 1h30m or 28d.');
  return milliseconds;
}

export function positiveDuration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined || milliseconds === 0) {
    throw new InvalidArgumentError('Expected a duration above 0, such as 30s, 5m, 1h30m or 28d.');
  }
  return milliseconds;
}
