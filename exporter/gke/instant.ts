import * as v from 'valibot';

/** 9999-12-31T23:59:59Z: what is later was never meant in seconds. */
const LATEST_UNIX_SECONDS = 253_402_300_799;

const UNIX_SECONDS = /^[1-9]\d{0,11}$/u;

/**
 * Reads an instant written as Unix seconds, as in the label `cloud.google.com/scheduled-maintenance-time`.
 * Undefined for everything else: signs, fractions, milliseconds, zero, text.
 */
export function parseUnixSeconds(text: string): number | undefined {
  if (!UNIX_SECONDS.test(text)) return undefined;
  const seconds = Number(text);
  return seconds <= LATEST_UNIX_SECONDS ? seconds : undefined;
}

const RFC_3339 = v.pipe(v.string(), v.isoTimestamp(), v.check(dayExists));

/** Date.parse moves 30 February to 2 March; such an instant is wrong, not two days later. */
function dayExists(timestamp: string): boolean {
  const [year, month, day] = timestamp.slice(0, 10).split('-').map(Number);
  return new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate() >= (day ?? 0);
}

/**
 * Reads an RFC 3339 date-time with its offset and gives Unix seconds, with the fraction down to milliseconds.
 * Undefined for everything else: no offset, days that do not exist, other types, text.
 */
export function parseRfc3339(text: unknown): number | undefined {
  if (!v.is(RFC_3339, text)) return undefined;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}
