import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import type { MaintenanceRecord } from '../gke/maintenance-record.ts';
import { nodePoolOf, readUpcomingMaintenance, readWord } from '../gke/metadata.ts';
import { nameOf } from '../google/cluster-identity.ts';
import { GOOGLE_FAILURE_REASONS, GoogleError } from '../google/google-error.ts';
import { MetadataServerClient, type MetadataValue } from '../google/metadata.ts';
import { sample } from '../metrics/catalogue.ts';
import type { Sample } from '../metrics/family.ts';
import { attempt } from './attempt.ts';
import type { Collector, CollectorContext, CollectorDefinition } from './collector.ts';
import { maintenanceSamples, type NodeLabels } from './maintenance-samples.ts';

/** The metadata server of the VM that the exporter runs on: one exporter on each node. */
export const metadataCollector: CollectorDefinition = {
  name: 'metadata',
  help: "This VM's metadata server, for one exporter on each node: maintenance, preemption.",
  enabledByDefault: false,
  failureReasons: GOOGLE_FAILURE_REASONS,
  maxAge: () => MAX_AGE,
  check: () => Promise.resolve(),
  create: (context: CollectorContext): Promise<Collector> => {
    const client = new MetadataServerClient(context.config.metadata.endpoint);
    return Promise.resolve({ run: (signal) => new Metadata(context, client).run(signal) });
  },
};

/** What the metadata server said goes when it was silent for an hour. */
const MAX_AGE = 3_600_000;
/** The server answers a waiting request after this at the latest, so that one which died is noticed. */
const WAIT_SECONDS = 60;
/** When a server answers a waiting request at once though nothing has changed, it is asked again after this. */
const ASK_AGAIN = 5000;
const SHORTEST_WAIT = 1000;
const BACKOFF = { firstBackoff: 250, longestBackoff: 30_000 } as const;

/** What is read once: of which node all this is. */
const NAME = 'name';
/** The keys that are followed, each by a request that waits for its next change. */
const KEYS = [
  'upcoming-maintenance',
  'preempted',
  'scheduling/on-host-maintenance',
  'scheduling/preemptible',
  'scheduling/automatic-restart',
] as const;
/** Only with its flag: who reads it is told 60 s before a live migration, which Compute Engine delays for that. */
const MAINTENANCE_EVENT = 'maintenance-event';

/** Follows the keys of one VM, and says what they say. */
class Metadata {
  readonly #context: CollectorContext;
  readonly #client: MetadataServerClient;
  readonly #words = new Map<string, string | undefined>();
  #maintenance: MaintenanceRecord | undefined;

  constructor(context: CollectorContext, client: MetadataServerClient) {
    this.#context = context;
    this.#client = client;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { config, health } = this.#context;
    const keys = config.metadata.watchMaintenanceEvent ? [...KEYS, MAINTENANCE_EVENT] : KEYS;
    health.expect([NAME, ...keys]);
    const labels = await this.#attempt(NAME, () => this.#readLabels(signal), signal);
    await Promise.all(keys.map((key) => this.#follow(key, labels, signal)));
  }

  /** The Node has the name of the VM. */
  async #readLabels(signal: AbortSignal): Promise<NodeLabels> {
    const name = process.env.NODE_NAME ?? '';
    const node =
      name === '' ? nameOf(await this.#client.get('instance/name', signal), 'instance/name') : name;
    const { status, body } = await this.#client.get('instance/attributes/kube-labels', signal);
    if (status !== 200 && status !== 404) throw unanswered('instance/attributes/kube-labels', status);
    return { node, node_pool: status === 200 ? (nodePoolOf(body) ?? '') : '' };
  }

  async #follow(key: string, labels: NodeLabels, signal: AbortSignal): Promise<void> {
    let lastEtag = '';
    while (!signal.aborted) {
      const started = performance.now();
      const { etag } = await this.#askNext(key, lastEtag, labels, signal);
      const waited = performance.now() - started >= SHORTEST_WAIT || lastEtag === '';
      if (etag === '' || (etag === lastEtag && !waited)) await delay(ASK_AGAIN, undefined, { signal });
      lastEtag = etag;
    }
  }

  #askNext(key: string, lastEtag: string, labels: NodeLabels, signal: AbortSignal): Promise<MetadataValue> {
    return this.#attempt(key, () => this.#ask(key, lastEtag, labels, signal), signal);
  }

  async #ask(key: string, lastEtag: string, labels: NodeLabels, signal: AbortSignal): Promise<MetadataValue> {
    const answer = await this.#client.get(`instance/${key}`, signal, {
      ...(key === 'upcoming-maintenance' ? { alt: 'json' } : {}),
      ...(lastEtag === '' ? {} : { wait: { lastEtag, seconds: WAIT_SECONDS } }),
    });
    this.#take(key, answer);
    this.#context.part.replace(labels.node, this.#samples(labels));
    return answer;
  }

  #take(key: string, answer: MetadataValue): void {
    const isRecord = key === 'upcoming-maintenance';
    const meaning = isRecord ? readUpcomingMaintenance(answer) : readWord(key, answer);
    if (meaning === undefined) throw unanswered(key, answer.status);
    for (const invalid of meaning.invalid) this.#context.invalidValues.report(invalid, key);
    if (typeof meaning.value === 'object') this.#maintenance = meaning.value;
    else if (isRecord) this.#maintenance = undefined;
    else this.#words.set(key, meaning.value);
  }

  #samples(labels: NodeLabels): Sample[] {
    const samples =
      this.#maintenance === undefined ? [] : maintenanceSamples(labels, 'metadata', this.#maintenance);
    const preempted = this.#words.get('preempted');
    if (preempted === 'TRUE' || preempted === 'FALSE')
      samples.push(sample('gke_node_preempted', labels, Number(preempted === 'TRUE')));
    const event = this.#words.get(MAINTENANCE_EVENT) ?? 'NONE';
    if (event !== 'NONE') samples.push(sample('gke_node_host_maintenance_event', { ...labels, event }, 1));
    const [onHostMaintenance, preemptible, automaticRestart] = KEYS.slice(2).map((key) =>
      this.#words.get(key)?.toLowerCase(),
    );
    if (onHostMaintenance !== undefined && preemptible !== undefined && automaticRestart !== undefined) {
      const scheduling = {
        on_host_maintenance: onHostMaintenance,
        preemptible,
        automatic_restart: automaticRestart,
      };
      samples.push(sample('gke_node_scheduling_info', { ...labels, ...scheduling }, 1));
    }
    return samples;
  }

  /** The server is late on a fresh VM, and away for a moment during maintenance. */
  #attempt<T>(part: string, read: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return attempt(read, { health: this.#context.health, part, ...BACKOFF, signal });
  }
}

function unanswered(key: string, status: number): GoogleError {
  return new GoogleError(`metadata server, ${key}: status ${status}`, { reason: 'server_error' });
}
