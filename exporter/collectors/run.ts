import pRetry from 'p-retry';
import type { CollectorContext, CollectorDefinition } from './collector.ts';

/** A collector that ended by a bug of ours begins anew, at first after a second, at last every five minutes. */
const RESTART = {
  retries: Number.POSITIVE_INFINITY,
  minTimeout: 1000,
  maxTimeout: 300_000,
  randomize: true,
} as const;

/**
 * Runs a collector until `signal` aborts, apart from all others: what it throws is counted and logged, and it begins anew
 * with nothing of what it had said before.
 */
export async function runCollector(
  { create }: CollectorDefinition,
  context: CollectorContext,
  signal: AbortSignal,
): Promise<void> {
  const attempt = async (): Promise<void> => {
    context.part.clear();
    context.health.reset();
    try {
      const collector = await create(context);
      await collector.run(signal);
    } catch (cause) {
      // p-retry gives up on a TypeError, which is just what a bug may throw.
      throw new Error('a bug ended the collector', { cause });
    }
  };
  const onFailedAttempt = ({ error: { cause } }: { error: Error }): void => {
    if (signal.aborted) return;
    context.health.failed(
      'internal',
      cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
    );
  };
  await pRetry(attempt, { ...RESTART, signal, onFailedAttempt }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
