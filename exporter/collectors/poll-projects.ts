import { setTimeout as delay } from 'node:timers/promises';
import pRetry from 'p-retry';
import type { ClusterIdentity } from '../google/cluster-identity.ts';
import { GoogleError } from '../google/google-error.ts';
import type { CollectorContext } from './collector.ts';

/** Until the first attempt after a failure, in milliseconds; later ones wait longer, up to the interval. */
const FIRST_BACKOFF = 2000;

/** Reads one project. Throws a GoogleError where that failed. */
export type ReadProject = (projectId: string) => Promise<void>;

/**
 * Waits until it is known which projects to read, and reads each in a loop of its own until `signal` aborts: every interval, in
 * milliseconds, and after a failure sooner. `prepare` is called once with what is known then.
 */
export async function pollProjects(
  { identity, health }: CollectorContext,
  interval: number,
  prepare: (identity: ClusterIdentity) => ReadProject,
  signal: AbortSignal,
): Promise<void> {
  const known = await identity.wait((error) => health.failed(error.reason, error.message));
  health.expect(known.projectIds);
  const read = prepare(known);
  const attempt = async (projectId: string): Promise<void> => {
    const started = performance.now();
    await read(projectId);
    health.succeeded((performance.now() - started) / 1000, projectId);
  };
  const failed = (projectId: string, error: Error): void => {
    if (signal.aborted) return;
    if (!(error instanceof GoogleError)) throw error;
    health.failed(error.reason, error.message, projectId);
  };
  const follow = async (projectId: string): Promise<void> => {
    while (!signal.aborted) {
      const started = Date.now();
      await pRetry(() => attempt(projectId), {
        retries: Number.POSITIVE_INFINITY,
        minTimeout: Math.min(FIRST_BACKOFF, interval),
        maxTimeout: interval,
        randomize: true,
        signal,
        onFailedAttempt: ({ error }) => failed(projectId, error),
      });
      await delay(Math.max(0, started + interval - Date.now()), undefined, { signal });
    }
  };
  await Promise.all(known.projectIds.map(follow));
}
