import { parseDuration } from '../exporter/config/duration.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Below this many milliseconds an interval is rounded to that many. Source: Grafana, `rangeutil.roundInterval`. */
const ROUNDED: readonly (readonly [below: number, to: number])[] = [
  [15, 10],
  [35, 20],
  [75, 50],
  [150, 100],
  [350, 200],
  [750, 500],
  [1.5 * SECOND, SECOND],
  [3.5 * SECOND, 2 * SECOND],
  [7.5 * SECOND, 5 * SECOND],
  [12.5 * SECOND, 10 * SECOND],
  [17.5 * SECOND, 15 * SECOND],
  [25 * SECOND, 20 * SECOND],
  [45 * SECOND, 30 * SECOND],
  [1.5 * MINUTE, MINUTE],
  [3.5 * MINUTE, 2 * MINUTE],
  [7.5 * MINUTE, 5 * MINUTE],
  [12.5 * MINUTE, 10 * MINUTE],
  [17.5 * MINUTE, 15 * MINUTE],
  [25 * MINUTE, 20 * MINUTE],
  [45 * MINUTE, 30 * MINUTE],
  [1.5 * HOUR, HOUR],
  [2.5 * HOUR, 2 * HOUR],
  [4.5 * HOUR, 3 * HOUR],
  [9 * HOUR, 6 * HOUR],
  [DAY, 12 * HOUR],
  [7 * DAY, DAY],
  [21 * DAY, 7 * DAY],
  [42 * DAY, 30 * DAY],
];

/** What a panel says of its interval. */
export interface IntervalOptions {
  /** The least, as a duration such as `1m`; Grafana takes the data source's scrape interval where it is not given. */
  readonly minimum: string | undefined;
  /** Grafana takes the width of the panel in pixels where it is not given. */
  readonly maxDataPoints: number;
}

/** `$__interval`, which is also the step of a range query, as Grafana computes it; in milliseconds. */
export function queryInterval(range: number, { minimum, maxDataPoints }: IntervalOptions): number {
  const raw = range / maxDataPoints;
  const rounded = ROUNDED.find(([below]) => raw < below)?.[1] ?? 365 * DAY;
  return Math.max(rounded, parseDuration(minimum ?? '15s') ?? 0);
}
