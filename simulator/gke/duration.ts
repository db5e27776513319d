const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
};
const DURATION = /^(?:\d+y)?(?:\d+w)?(?:\d+d)?(?:\d+h)?(?:\d+m(?!s))?(?:\d+s)?(?:\d+ms)?$/u;

/** Milliseconds of a Prometheus duration such as `1h30m` or `0`; undefined if it is none. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (text === '' || !DURATION.test(text)) return undefined;
  let milliseconds = 0;
  for (const [, count, unit = ''] of text.matchAll(/(\d+)(ms|[a-z])/gu)) {
    milliseconds += Number(count) * (UNITS_MS[unit] ?? 0);
  }
  return milliseconds;
}

/** Milliseconds as a Prometheus duration, in whole seconds. */
export function formatDuration(milliseconds: number): string {
  let left = Math.round(milliseconds / 1000) * 1000;
  let text = '';
  for (const unit of ['d', 'h', 'm', 's']) {
    const size = UNITS_MS[unit] ?? 1;
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) text += `${count}${unit}`;
  }
  return text === '' ? '0s' : text;
}
