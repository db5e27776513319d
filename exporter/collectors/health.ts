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

/** The part of a source that has none. */
const WHOLE = '';

/** How a collector fares: what `/readyz`, `gke_disruption_collector_up` and the log say of it. */
export class CollectorHealth {
  readonly #options: HealthOptions;
  #lastSuccess: number | undefined;
  /** Parts of the source, say projects, that were not read yet. */
  #unread = new Set<string>();
  /** Why the latest attempt failed, by the part of the source. */
  readonly #failures = new Map<string, string>();

  constructor(options: HealthOptions) {
    this.#options = options;
    options.telemetry.set('gke_disruption_collector_up', { collector: options.collector }, 0);
  }

  /** What was read before does not count any more. */
  reset(): void {
    this.#lastSuccess = undefined;
    this.#unread.clear();
  }

  /** The source has parts, each of which must succeed. */
  expect(parts: readonly string[]): void {
    this.#unread = new Set(parts);
  }

  /** A full reading, of a part of the source if it has some, succeeded after so many seconds. */
  succeeded(seconds: number, part = WHOLE): void {
    const { telemetry, collector } = this.#options;
    telemetry.set('gke_disruption_collector_duration_seconds', { collector }, seconds);
    this.#unread.delete(part);
    this.#recovered(part);
    this.#recovered(WHOLE);
    if (this.#unread.size === 0 && this.#failures.size === 0) this.#setLastSuccess();
  }

  /** The source said that what was read before still stands. Counts only after a full reading. */
  heard(): void {
    if (this.#lastSuccess === undefined) return;
    this.#recovered(WHOLE);
    this.#setLastSuccess();
  }

  /** An attempt failed. The first failure, and one for another reason, is worth a line; its repetitions are not. */
  failed(reason: string, message: string, part = WHOLE): void {
    const { telemetry, collector, log } = this.#options;
    telemetry.increment('gke_disruption_collector_errors_total', { collector, reason });
    telemetry.set('gke_disruption_collector_up', { collector }, 0);
    if (this.#failures.get(part) === reason)
      log.debug('collector failed again', { collector, reason, error: message });
    else log.warn('collector failed, retrying', { collector, reason, error: message });
    this.#failures.set(part, reason);
  }

  /** Whether there was a full reading, and the source was heard within the maximum age since. */
  get isFresh(): boolean {
    const { maxAge, now } = this.#options;
    if (this.#lastSuccess === undefined) return false;
    return maxAge === undefined || now() - this.#lastSuccess < maxAge;
  }

  /** One line for people: `ok`, or what is wrong. */
  get description(): string {
    const failures = Array.from(this.#failures, ([part, reason]) =>
      part === WHOLE ? reason : `${reason} (${part})`,
    ).join(', ');
    if (this.isFresh) return failures === '' ? 'ok' : `ok, but the latest attempt failed: ${failures}`;
    const since = this.#lastSuccess === undefined ? 'no success yet' : 'data too old';
    return failures === '' ? since : `${since}: ${failures}`;
  }

  #recovered(part: string): void {
    if (!this.#failures.delete(part)) return;
    const { collector, log } = this.#options;
    log.info('collector recovered', part === WHOLE ? { collector } : { collector, part });
  }

  #setLastSuccess(): void {
    const { telemetry, collector, now } = this.#options;
    this.#lastSuccess = now();
    telemetry.set('gke_disruption_collector_up', { collector }, 1);
    telemetry.set(
      'gke_disruption_collector_last_success_timestamp_seconds',
      { collector },
      this.#lastSuccess / 1000,
    );
  }
}
