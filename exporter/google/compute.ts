import type { AuthClient } from 'google-auth-library';
import * as v from 'valibot';
import type { Telemetry } from '../metrics/telemetry.ts';
import type { ClusterIdentity } from './cluster-identity.ts';
import { GoogleError } from './google-error.ts';
import { type HttpAnswer, httpGet } from './http.ts';
import { httpError } from './http-error.ts';
import { recordRequest } from './request-telemetry.ts';

const API = 'compute';
const METHOD = 'instances.aggregatedList';
const NEEDS = { service: 'compute.googleapis.com', role: 'roles/compute.viewer' } as const;
const SCOPE = 'https://www.googleapis.com/auth/compute.readonly';

/** The most that the API gives. */
const PAGE_SIZE = 500;
/** 500 VMs a page: more than twice as many as a cluster of 65,000 nodes has. */
const MOST_PAGES = 300;
/** With the field mask 500 VMs are some 300 kB. */
const LARGEST_PAGE = 16_000_000;
const REQUEST_TIMEOUT = 60_000;

/** Labels that GKE puts on the VMs of its nodes. */
const CLUSTER_NAME = 'goog-k8s-cluster-name';
const CLUSTER_LOCATION = 'goog-k8s-cluster-location';
const NODE_POOL_NAME = 'goog-k8s-node-pool-name';

/** Only what is used travels. */
const FIELDS =
  'nextPageToken,unreachables,items/*/warning/code,items/*/instances(name,labels,resourceStatus/upcomingMaintenance)';

/** A VM of the cluster. */
export interface Instance {
  readonly name: string;
  /** `us-central1-b` */
  readonly zone: string;
  readonly nodePool: string;
  /** `resourceStatus.upcomingMaintenance`, as sent; undefined where there is none. */
  readonly upcomingMaintenance: unknown;
}

export interface InstanceList {
  readonly instances: readonly Instance[];
  /** Zones that did not answer: their VMs are not in the list. */
  readonly unreachable: readonly string[];
}

export interface ComputeOptions {
  /** `host:port`, or `http://host:port` for plaintext without credentials; undefined: Google's, by the universe domain. */
  readonly endpoint: string | undefined;
  readonly universeDomain: string;
  readonly telemetry: Telemetry;
}

const INSTANCE = v.object({
  name: v.string(),
  labels: v.nullish(v.record(v.string(), v.string()), {}),
  resourceStatus: v.nullish(v.object({ upcomingMaintenance: v.optional(v.unknown()) }), {}),
});
const SCOPED_LIST = v.object({
  warning: v.nullish(v.object({ code: v.nullish(v.string(), '') })),
  instances: v.nullish(v.array(v.unknown()), []),
});
const PAGE = v.pipe(
  v.unknown(),
  v.check((page) => !Array.isArray(page)),
  v.object({
    nextPageToken: v.nullish(v.string(), ''),
    unreachables: v.nullish(v.array(v.string()), []),
    items: v.nullish(v.record(v.string(), SCOPED_LIST), {}),
  }),
);

/** Reads VMs by the Compute Engine REST API, v1. */
export class Compute {
  readonly #root: string;
  readonly #universeDomain: string;
  readonly #telemetry: Telemetry;
  #auth: Promise<AuthClient> | undefined;

  constructor({ endpoint, universeDomain, telemetry }: ComputeOptions) {
    const address = endpoint ?? `compute.${universeDomain}`;
    this.#root = address.startsWith('http://') ? address : `https://${address}`;
    this.#universeDomain = universeDomain;
    this.#telemetry = telemetry;
  }

  /** The VMs of a cluster, or of all clusters of a project. Throws a GoogleError that says what to do. */
  async listInstances(
    projectId: string,
    selection: Omit<ClusterIdentity, 'projectIds'>,
    signal: AbortSignal,
  ): Promise<InstanceList> {
    const instances: Instance[] = [];
    const unreachable = new Set<string>();
    let pageToken = '';
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const page = await this.#page(projectId, selection.clusterName, pageToken, signal);
      readInstances(page, selection.location, instances, unreachable);
      if (page.nextPageToken === '') return { instances, unreachable: [...unreachable] };
      pageToken = page.nextPageToken;
    }
    throw new GoogleError(`project ${projectId}: no end of the answer after ${MOST_PAGES} pages`, {
      reason: 'invalid_answer',
    });
  }

  #url(projectId: string, clusterName: string | undefined, pageToken: string): URL {
    const url = new URL(
      `${this.#root}/compute/v1/projects/${encodeURIComponent(projectId)}/aggregated/instances`,
    );
    const value = clusterName === undefined ? ':*' : ` = ${JSON.stringify(clusterName)}`;
    url.searchParams.set('filter', `labels.${CLUSTER_NAME}${value}`);
    url.searchParams.set('maxResults', String(PAGE_SIZE));
    url.searchParams.set('returnPartialSuccess', 'true');
    url.searchParams.set('fields', FIELDS);
    if (pageToken !== '') url.searchParams.set('pageToken', pageToken);
    return url;
  }

  async #page(
    projectId: string,
    clusterName: string | undefined,
    pageToken: string,
    signal: AbortSignal,
  ): Promise<v.InferOutput<typeof PAGE>> {
    const started = performance.now();
    let code = 'error';
    try {
      const { status, body } = await this.#get(
        this.#url(projectId, clusterName, pageToken),
        projectId,
        signal,
      );
      code = String(status);
      if (status !== 200) throw httpError(status, body, projectId, NEEDS);
      return parsePage(body, projectId);
    } finally {
      recordRequest(this.#telemetry, { api: API, method: METHOD, code }, started);
    }
  }

  async #get(url: URL, projectId: string, signal: AbortSignal): Promise<HttpAnswer> {
    const headers = Object.fromEntries(await this.#headers(url));
    const options = { headers, timeoutMilliseconds: REQUEST_TIMEOUT, mostBytes: LARGEST_PAGE, signal };
    return httpGet(url, options).catch((error: unknown) => {
      if (!(error instanceof GoogleError)) throw error;
      throw new GoogleError(`project ${projectId}: ${error.message}`, { reason: error.reason, cause: error });
    });
  }

  async #headers(url: URL): Promise<Headers> {
    if (url.protocol === 'http:') return new Headers();
    try {
      this.#auth ??= this.#findCredentials();
      return await (await this.#auth).getRequestHeaders(url.href);
    } catch (cause) {
      this.#auth = undefined;
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new GoogleError(`credentials of Google: ${message.split('\n')[0]?.slice(0, 300) ?? ''}`, {
        reason: 'credentials',
        cause,
      });
    }
  }

  async #findCredentials(): Promise<AuthClient> {
    const { GoogleAuth } = await import('google-auth-library');
    return new GoogleAuth({ scopes: SCOPE, universeDomain: this.#universeDomain }).getClient();
  }
}

function parsePage(body: string, projectId: string): v.InferOutput<typeof PAGE> {
  try {
    return v.parse(PAGE, JSON.parse(body));
  } catch (cause) {
    throw new GoogleError(`project ${projectId}: the answer cannot be read`, {
      reason: 'invalid_answer',
      cause,
    });
  }
}

function readInstances(
  { items, unreachables }: v.InferOutput<typeof PAGE>,
  location: string | undefined,
  instances: Instance[],
  unreachable: Set<string>,
): void {
  for (const each of unreachables) unreachable.add(each);
  for (const [scope, { warning, instances: scoped }] of Object.entries(items)) {
    if (warning?.code === 'UNREACHABLE') unreachable.add(scope);
    for (const value of scoped) {
      const instance = readInstance(value, scope, location);
      if (instance !== undefined) instances.push(instance);
    }
  }
}

/** Undefined for what is no VM, and for a VM of a cluster of the same name elsewhere. */
function readInstance(value: unknown, scope: string, location: string | undefined): Instance | undefined {
  const parsed = v.safeParse(INSTANCE, value);
  if (!parsed.success) return undefined;
  const { name, labels, resourceStatus } = parsed.output;
  const itsLocation = labels[CLUSTER_LOCATION];
  if (location !== undefined && itsLocation !== undefined && itsLocation !== location) return undefined;
  return {
    name,
    zone: scope.replace(/^zones\//u, ''),
    nodePool: labels[NODE_POOL_NAME] ?? '',
    upcomingMaintenance: resourceStatus.upcomingMaintenance,
  };
}
