import type { Happenings } from '../gke/happening.ts';
import { NODE_POOL, SPOT, UPCOMING_MAINTENANCE, ZONE } from '../gke/node-signal.ts';
import type { Cluster } from '../gke/scenario.ts';
import type { ObjectStore } from '../kubernetes/object-store.ts';
import { NODES, type Node } from '../kubernetes/resource.ts';
import { MetadataServer } from './metadata-server.ts';

/** A maintenance record in the words of the metadata server: snake_case, instants as text. */
export type MaintenanceJson = Readonly<Record<string, unknown>>;

/** The VM of a node, as Compute Engine knows it. */
export interface VirtualMachine {
  readonly name: string;
  readonly zone: string;
  readonly nodePool: string;
  /** Undefined where nothing is announced. */
  readonly maintenance: MaintenanceJson | undefined;
}

/** Before the first notification. Read in the source of Google's maintenance handler. */
const NO_NOTIFICATION = {
  status: 503,
  body: '{ "error": "no notifications have been received yet, try again later" }',
} as const;

/**
 * The VMs of the cluster's nodes. The node annotation is a copy of what the metadata server says, so here both follow from the
 * Node; a test can let the metadata server or the Compute API say something else.
 */
export class VirtualMachines {
  readonly #store: ObjectStore;
  readonly #cluster: Cluster;
  readonly #servers = new Map<string, MetadataServer>();
  readonly #overrides = new Map<string, MaintenanceJson | undefined>();
  readonly #preempted = new Set<string>();
  readonly #endings: (() => void)[];

  constructor(store: ObjectStore, cluster: Cluster, happenings: Happenings) {
    this.#store = store;
    this.#cluster = cluster;
    this.#endings = [
      store.watch(NODES, ({ object }) => this.#update(object.metadata.name)),
      happenings.listen(({ what, node }) => {
        if (what === 'node preempted') this.#preempted.add(node);
        if (what === 'node created') this.#preempted.delete(node);
        this.#update(node);
      }),
    ];
  }

  /** Every VM, as the Compute API knows it. */
  get all(): readonly VirtualMachine[] {
    return this.#store.list(NODES).map((node) => this.#machineOf(node, 'compute'));
  }

  /** The metadata server of a node's VM, started when it is first asked for. */
  async metadataServer(name: string): Promise<MetadataServer> {
    const server = this.#servers.get(name) ?? (await MetadataServer.start());
    this.#servers.set(name, server);
    const { project, location, name: clusterName } = this.#cluster;
    const node = this.#store.get(NODES, name);
    const labels = Object.entries(node?.metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`);
    const isSpot = node?.metadata.labels?.[SPOT] === 'true';
    for (const [key, value] of [
      ['project/project-id', project],
      ['instance/name', name],
      ['instance/zone', `projects/1234/zones/${node?.metadata.labels?.[ZONE] ?? ''}`],
      ['instance/attributes/cluster-name', clusterName],
      ['instance/attributes/cluster-location', location],
      ['instance/attributes/kube-labels', labels.join(',')],
      ['instance/maintenance-event', 'NONE'],
      ['instance/scheduling/on-host-maintenance', 'TERMINATE'],
      ['instance/scheduling/preemptible', isSpot ? 'TRUE' : 'FALSE'],
      ['instance/scheduling/automatic-restart', isSpot ? 'FALSE' : 'TRUE'],
    ] as const)
      server.set(key, value);
    this.#update(name);
    return server;
  }

  /** Lets a source say something else than the Node does; undefined: nothing. */
  override(name: string, source: 'metadata' | 'compute', maintenance: MaintenanceJson | undefined): void {
    this.#overrides.set(`${source} ${name}`, maintenance);
    this.#update(name);
  }

  async stop(): Promise<void> {
    for (const end of this.#endings) end();
    await Promise.all(Array.from(this.#servers.values(), (server) => server.stop()));
  }

  #update(name: string): void {
    const server = this.#servers.get(name);
    if (server === undefined) return;
    server.set('instance/preempted', this.#preempted.has(name) ? 'TRUE' : 'FALSE');
    const node = this.#store.get(NODES, name);
    if (node === undefined) return;
    const { maintenance } = this.#machineOf(node, 'metadata');
    server.set(
      'instance/upcoming-maintenance',
      maintenance === undefined ? NO_NOTIFICATION : JSON.stringify(maintenance),
    );
  }

  #machineOf({ metadata }: Node, source: 'metadata' | 'compute'): VirtualMachine {
    const { name, labels = {}, annotations = {} } = metadata;
    const override = `${source} ${name}`;
    return {
      name,
      zone: labels[ZONE] ?? '',
      nodePool: labels[NODE_POOL] ?? '',
      maintenance: this.#overrides.has(override)
        ? this.#overrides.get(override)
        : fromAnnotation(annotations[UPCOMING_MAINTENANCE]),
    };
  }
}

/** The annotation names the reasons in the singular. Tests put things there that are no record. */
function fromAnnotation(text: string | undefined): MaintenanceJson | undefined {
  try {
    const { maintenance_reason: reasons, ...rest } = JSON.parse(text ?? '') as Record<string, unknown>;
    return { ...rest, maintenance_reasons: reasons };
  } catch {
    return undefined;
  }
}
