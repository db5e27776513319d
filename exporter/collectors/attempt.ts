import pRetry from 'p-retry';
import { GoogleError } from '../google/google-error.ts';
import type { CollectorHealth } from './health.ts';

export interface AttemptOptions {
  readonly health: CollectorHealth;
  /** The part of the source that is read: a project, a key. */
  readonly part: string;
  /** Waits after the first failure and at most, in milliseconds; they are drawn a bit longer, so that replicas part. */
  readonly firstBackoff: number;
  readonly longestBackoff: number;
  readonly signal: AbortSignal;
}

/** Reads a part of a source until that succeeds, and tells how it fared. What is no GoogleError is a bug, and thrown. */
export function attempt<T>(
  read: () => Promise<T>,
  { health, part, firstBackoff, longestBackoff, signal }: AttemptOptions,
): Promise<T> {
  const measured = async (): Promise<T> => {
    const started = performance.now();
    const result = await read();
    health.succeeded((performance.now() - started) / 1000, part);
    return result;
  };
  return pRetry(measured, {
    retries: Number.POSITIVE_INFINITY,
    minTimeout: firstBackoff,
    maxTimeout: longestBackoff,
    randomize: true,
    signal,
    onFailedAttempt: ({ error }) => {
      if (signal.aborted) return;
      if (!(error instanceof GoogleError)) throw error;
      health.failed(error.reason, error.message, part);
    },
  });
}
