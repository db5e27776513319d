const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** From the largest to the smallest: the order in which Prometheus wants them. A year has 365 days. */
const UNITS = [
  ['y', 365 * DAY],
  ['w', 7 * DAY],
  ['d', DAY],
  ['h', HOUR],
  ['m', MINUTE],
  ['s', SECOND],
  ['ms', 1],
] as const;

const DURATION = new RegExp(`^${UNITS.map(([unit]) => `(?:(?<${unit}>\\d{1,12})${unit})?`).join('')}$`, 'u');

/**
 * Reads a Prometheus duration (`30s`, `1h30m`, `28d`, `0`) and gives milliseconds; undefined for anything else.
 * Source: Prometheus documentation, "Configuration", `<duration>`.
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const groups = text === '' ? undefined : DURATION.exec(text)?.groups;
  if (groups === undefined) return undefined;
  return UNITS.reduce((sum, [unit, milliseconds]) => sum + Number(groups[unit] ?? 0) * milliseconds, 0);
}

/** Writes milliseconds as a Prometheus duration, in as few units as say it exactly: 90000 is `1m30s`. */
export function formatDuration(milliseconds: number): string {
  let rest = milliseconds;
  let text = '';
  for (const [unit, length] of UNITS) {
    // As Prometheus does: years and weeks only when nothing remains.
    if ((unit === 'y' || unit === 'w') && rest % length !== 0) continue;
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0) text += `${count}${unit}`;
  }
  return text === '' ? '0s' : text;
}
