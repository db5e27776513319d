import pRetry from 'p-retry';
import { GoogleError } from './google-error.ts';
import type { MetadataServerClient } from './metadata.ts';

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
  constructor(given: ClusterIdentity, metadata: MetadataServerClient, signal: AbortSignal) {
    this.#identity =
      given.projectIds.length > 0 ? Promise.resolve(given) : this.#discover(given, metadata, signal);
    // Who waits for it is told; that nobody waits is no error.
    this.#identity.catch(() => undefined);
  }

  /** The identity, as soon as it is known; rejects when the signal aborts. Every failure until then is told. */
  wait(onFailure: FailureListener): Promise<ClusterIdentity> {
    if (this.#failure !== undefined) onFailure(this.#failure);
    this.#listeners.add(onFailure);
    return this.#identity.finally(() => this.#listeners.delete(onFailure));
  }

  #discover(
    given: ClusterIdentity,
    metadata: MetadataServerClient,
    signal: AbortSignal,
  ): Promise<ClusterIdentity> {
    return pRetry(() => readIdentity(given, metadata, signal), {
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

async function readIdentity(
  given: ClusterIdentity,
  metadata: MetadataServerClient,
  signal: AbortSignal,
): Promise<ClusterIdentity> {
  const read = async (key: string): Promise<string> => nameOf(await metadata.get(key, signal), key);
  try {
    const [projectId, location, clusterName] = await Promise.all([
      read('project/project-id'),
      given.location ?? read('instance/attributes/cluster-location'),
      given.clusterName ?? read('instance/attributes/cluster-name'),
    ]);
    return { projectIds: [projectId], location, clusterName: clusterName === '' ? undefined : clusterName };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new GoogleError(
      `which cluster this is cannot be discovered: ${message} (give --google.project-id, --google.location and --google.cluster-name)`,
      { reason: 'identity', cause },
    );
  }
}

/** Throws when an answer is no name. */
export function nameOf(
  { status, body }: { readonly status: number; readonly body: string },
  key: string,
): string {
  if (status === 200 && /^[\w.:-]{1,256}$/u.test(body)) return body;
  throw new GoogleError(
    `metadata server, ${key}: ${status === 200 ? 'the answer is no name' : `status ${status}`}`,
    {
      reason: 'invalid_answer',
    },
  );
}
