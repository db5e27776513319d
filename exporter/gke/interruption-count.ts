import type { InterruptionSeries } from './interruption-series.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Counters restart from zero at the multiples of this since the Unix epoch, in milliseconds. */
export const ERA = 28 * DAY;

/** The trailing windows of the gauges, by their label. */
export const WINDOWS = { '1h': HOUR, '24h': DAY, '7d': 7 * DAY, '28d': 28 * DAY } as const;

/** The durations of the counting rule, in milliseconds. They are constants: a simulated cloud whose clock runs faster divides them. */
export interface CountingTimes {
  /**
   * From the end time of a point until it counts: the longest that Google says a point takes to be visible (150 s), a poll
   * (60 s), and two minutes in which a scraper sees the series at what it was before.
   */
  readonly delay: number;
  /** How late a point may be and still be read: four times what Google documents. */
  readonly lateness: number;
  /**
   * How long the last value of an era stays: so that a point which is `lateness` late, read by the next poll and seen by the
   * next scrape, still counts, even when the exporter is away for two minutes meanwhile.
   */
  readonly lastValueStays: number;
  /** How long 0 stays after it, so that scrapers see that the counter restarted, even if one or two of them fail. */
  readonly zeroStays: number;
}

export const COUNTING_TIMES: CountingTimes = {
  delay: 6 * MINUTE,
  lateness: 10 * MINUTE,
  lastValueStays: 9 * MINUTE,
  zeroStays: 5 * MINUTE,
};

/** Whose end times, after `from` and not after `to`, a counter holds. */
export interface CountedRange {
  readonly from: number;
  readonly to: number;
}

/** Which end times counters hold at an instant. In the minutes of zero that is an empty range. */
export function countedRange(now: number, times: CountingTimes): CountedRange {
  const to = now - times.delay;
  const era = eraStart(to);
  const intoEra = to - era;
  if (intoEra < times.lastValueStays) return { from: era - ERA, to: era };
  if (intoEra < times.lastValueStays + times.zeroStays) return { from: era, to: era };
  return { from: era, to };
}

/** Which end times a gauge over a trailing window holds at an instant. */
export function windowRange(now: number, window: number, { delay }: CountingTimes): CountedRange {
  return { from: now - delay - window, to: now - delay };
}

/** Nothing that ended at this instant or before is shown any more, nor will be. */
export function horizon(now: number, { delay, lastValueStays }: CountingTimes): number {
  return now - delay - ERA - lastValueStays;
}

/** The next instant at which a counter or gauge of a series, or the era, changes, if no point is added. */
export function nextChange(series: InterruptionSeries, now: number, times: CountingTimes): number {
  const { delay } = times;
  let next = nextTurn(now, times);
  for (const age of [0, ...Object.values(WINDOWS)]) {
    const endTime = series.firstAfter(now - delay - age);
    if (endTime !== undefined) next = Math.min(next, endTime + delay + age);
  }
  return next;
}

/** The next instant at which the last value of an era, or the zero after it, ends. */
export function nextTurn(now: number, { delay, lastValueStays, zeroStays }: CountingTimes): number {
  const era = eraStart(now - delay) + delay;
  const turns = [era + lastValueStays, era + lastValueStays + zeroStays];
  return turns.find((turn) => turn > now) ?? era + ERA + lastValueStays;
}

function eraStart(instant: number): number {
  return Math.floor(instant / ERA) * ERA;
}
