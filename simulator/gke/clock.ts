import { setTimeout as timeout } from 'node:timers/promises';

/** Longest delay of a timer of Node.js. */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * The real clock, on which GKE's durations pass faster. Instants are always real: a window four hours ahead is announced,
 * at speed 60, for four minutes from now, and begins then.
 */
export class Clock {
  readonly speed: number;
  readonly #ended = new AbortController();

  /** Throws a RangeError if the speed is not positive. */
  constructor(speed: number) {
    if (!(speed > 0)) throw new RangeError(`the speed must be positive: ${speed}`);
    this.speed = speed;
  }

  /** The real instant, in Unix milliseconds, at which a duration of GKE's will have passed. */
  in(durationMs: number): number {
    return Date.now() + durationMs / this.speed;
  }

  /** The first whole second, in Unix milliseconds, at which a duration of GKE's will have passed: what can be announced. */
  announceable(durationMs: number): number {
    return Math.ceil(this.in(durationMs) / 1000) * 1000;
  }

  /** Until a duration of GKE's has passed. Rejects with an AbortError when the clock stops. */
  async pass(durationMs: number): Promise<void> {
    await this.until(this.in(durationMs));
  }

  /** Until a real instant. Rejects with an AbortError when the clock stops. */
  async until(instantMs: number): Promise<void> {
    for (let left = instantMs - Date.now(); left > 0; left = instantMs - Date.now()) {
      await timeout(Math.min(left, LONGEST_TIMER_MS), undefined, { signal: this.#ended.signal });
    }
    this.#ended.signal.throwIfAborted();
  }

  /** Ends everybody's waiting. */
  stop(): void {
    this.#ended.abort();
  }
}
