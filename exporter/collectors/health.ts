import type { Logger } from '@logtape/logtape';
import type { Telemetry } from '../metrics/telemetry.ts';

export interface HealthOptions {
  readonly collector: string;
  readonly telemetry: Telemetry;
  readonly log: Logger;
  /** What the collector says is withdrawn when its source was silent for longer, in milliseconds; undefined: never. */
  readonly maxAge: number | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** How a collector fares: what `/readyz`, `gke_disruption_collector_up` and the log say of it. */
export class CollectorHealth {
  readonly #options: HealthOptions;
  #lastSuccess: number | undefined;
  #failure: string | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
    options.telemetry.set('gke_disruption_collector_up', { collector: options.collector }, 0);
  }

  /** What was read before does not count any more. */
  reset(): void {
    this.#lastSuccess = undefined;
  }

  /** A full reading succeeded, after so many seconds. */
  succeeded(seconds: number): void {
    const { telemetry, collector } = this.#options;
    telemetry.set('gke_disruption_collector_duration_seconds', { collector }, seconds);
    this.#setLastSuccess();
  }

  /** The source said that what was read before still stands. Counts only after a full reading. */
  heard(): void {
    if (this.#lastSuccess !== undefined) this.#setLastSuccess();
  }

  /** An attempt failed. The first failure, and one for another reason, is worth a line; its repetitions are not. */
  failed(reason: string, message: string): void {
    const { telemetry, collector, log } = this.#options;
    telemetry.increment('gke_disruption_collector_errors_total', { collector, reason });
    telemetry.set('gke_disruption_collector_up', { collector }, 0);
    if (this.#failure === reason) log.debug('collector failed again', { collector, reason, error: message });
    else log.warn('collector failed, retrying', { collector, reason, error: message });
    this.#failure = reason;
  }

  /** Whether there was a full reading, and the source was heard within the maximum age since. */
  get isFresh(): boolean {
    const { maxAge, now } = this.#options;
    if (this.#lastSuccess === undefined) return false;
    return maxAge === undefined || now() - this.#lastSuccess < maxAge;
  }

  /** One line for people: `ok`, or what is wrong. */
  get description(): string {
    if (this.isFresh)
      return this.#failure === undefined ? 'ok' : `ok, but the latest attempt failed: ${this.#failure}`;
    const since = this.#lastSuccess === undefined ? 'no success yet' : 'data too old';
    return this.#failure === undefined ? since : `${since}: ${this.#failure}`;
  }

  #setLastSuccess(): void {
    const { telemetry, collector, log, now } = this.#options;
    this.#lastSuccess = now();
    telemetry.set('gke_disruption_collector_up', { collector }, 1);
    telemetry.set(
      'gke_disruption_collector_last_success_timestamp_seconds',
      { collector },
      this.#lastSuccess / 1000,
    );
    if (this.#failure !== undefined) log.info('collector recovered', { collector });
    this.#failure = undefined;
  }
}
