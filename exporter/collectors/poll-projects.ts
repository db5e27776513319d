import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterIdentity } from '../google/cluster-identity.ts';
import { attempt } from './attempt.ts';
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
  const follow = async (part: string): Promise<void> => {
    const firstBackoff = Math.min(FIRST_BACKOFF, interval);
    while (!signal.aborted) {
      const started = Date.now();
      await attempt(() => read(part), { health, part, firstBackoff, longestBackoff: interval, signal });
      await delay(Math.max(0, started + interval - Date.now()), undefined, { signal });
    }
  };
  await Promise.all(known.projectIds.map(follow));
}
