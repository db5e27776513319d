import type { Logger } from '@logtape/logtape';
import type { InvalidValue } from '../gke/invalid-value.ts';
import type { Telemetry } from '../metrics/telemetry.ts';

/** Distinct values that are remembered; the oldest is forgotten first. */
const MOST_REMEMBERED = 10_000;
/** Lines a minute, so that a format that changed on every node does not flood the log. */
const MOST_LINES = 20;
const MINUTE = 60_000;

/** Counts and logs values that could not be read, each distinct one once however often it is seen. */
export class InvalidValues {
  readonly #telemetry: Telemetry;
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #seen = new Set<string>();
  #minuteStart = Number.NEGATIVE_INFINITY;
  #lines = 0;

  constructor(telemetry: Telemetry, log: Logger, now: () => number) {
    this.#telemetry = telemetry;
    this.#log = log;
    this.#now = now;
  }

  /** Reports a value found on `subject`, the name of a node. */
  report({ source, field, value }: InvalidValue, subject: string): void {
    const key = JSON.stringify([source, field, value]);
    if (this.#seen.has(key)) return;
    if (this.#seen.size >= MOST_REMEMBERED) this.#forgetOldest();
    this.#seen.add(key);
    this.#telemetry.increment('gke_disruption_invalid_values_total', { source, field });
    this.#write({ source, field, value, subject });
  }

  #forgetOldest(): void {
    for (const oldest of this.#seen) {
      this.#seen.delete(oldest);
      return;
    }
  }

  #write(fields: Record<string, string>): void {
    if (this.#now() - this.#minuteStart >= MINUTE) {
      this.#minuteStart = this.#now();
      this.#lines = 0;
    }
    this.#lines += 1;
    if (this.#lines <= MOST_LINES) this.#log.warn('value cannot be read, its series is absent', fields);
    if (this.#lines === MOST_LINES)
      this.#log.warn('further such values are counted, but not logged for a minute');
  }
}
