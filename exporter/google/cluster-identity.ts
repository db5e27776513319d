import pRetry from 'p-retry';
import { GoogleError } from './google-error.ts';

/** Which cluster this is about. No cluster name: every cluster of the projects. */
export interface ClusterIdentity {
  readonly projectIds: readonly string[];
  readonly location: string | undefined;
  readonly clusterName: string | undefined;
}

/** A fresh node's metadata server may come up late, and outside Google Cloud it never will. */
const RETRY = {
  retries: Number.POSITIVE_INFINITY,
  minTimeout: 1000,
  maxTimeout: 60_000,
  randomize: true,
} as const;

type FailureListener = (error: GoogleError) => void;

/**
 * Finds out which cluster this is, once for all that need it: what flags gave, completed from the metadata server. Where a
 * project is given nothing is discovered: a hub that reads other projects must not take its own cluster for the one meant.
 */
export class IdentityDiscovery {
  readonly #identity: Promise<ClusterIdentity>;
  readonly #listeners = new Set<FailureListener>();
  #failure: GoogleError | undefined;

  /** Tries until `signal` aborts. */
  constructor(given: ClusterIdentity, signal: AbortSignal) {
    this.#identity = given.projectIds.length > 0 ? Promise.resolve(given) : this.#discover(given, signal);
    // Who waits for it is told; that nobody waits is no error.
    this.#identity.catch(() => undefined);
  }

  /** The identity, as soon as it is known; rejects when the signal aborts. Every failure until then is told. */
  wait(onFailure: FailureListener): Promise<ClusterIdentity> {
    if (this.#failure !== undefined) onFailure(this.#failure);
    this.#listeners.add(onFailure);
    return this.#identity.finally(() => this.#listeners.delete(onFailure));
  }

  #discover(given: ClusterIdentity, signal: AbortSignal): Promise<ClusterIdentity> {
    return pRetry(() => readIdentity(given), {
      ...RETRY,
      signal,
      onFailedAttempt: ({ error }) => {
        if (signal.aborted || !(error instanceof GoogleError)) return;
        this.#failure = error;
        for (const listener of this.#listeners) listener(error);
      },
    });
  }
}

async function readIdentity(given: ClusterIdentity): Promise<ClusterIdentity> {
  const { instance, project } = await import('gcp-metadata');
  try {
    const [projectId, location, clusterName] = await Promise.all([
      project<unknown>('project-id'),
      given.location ?? instance<unknown>('attributes/cluster-location'),
      given.clusterName ?? instance<unknown>('attributes/cluster-name'),
    ]);
    return {
      projectIds: [nameOf(projectId)],
      location: nameOf(location),
      clusterName: given.clusterName === '' ? undefined : nameOf(clusterName),
    };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new GoogleError(
      `the metadata server does not tell which cluster this is: ${(message.split('\n')[0] ?? '').slice(0, 300)} (give --google.project-id, --google.location and --google.cluster-name)`,
      { reason: 'identity', cause },
    );
  }
}

function nameOf(value: unknown): string {
  if (typeof value !== 'string' || !/^[\w.:-]{1,256}$/u.test(value))
    throw new Error('it answers with something else');
  return value;
}
