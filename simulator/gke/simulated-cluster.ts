import type { ObjectStore } from '../kubernetes/object-store.ts';
import { CONFIG_MAPS, type ContainerImage, NODES, type Node } from '../kubernetes/resource.ts';
import { containerImages } from './container-images.ts';
import { gkeNode, nodeName } from './node-object.ts';
import { DISRUPTION_HANDLING, MAINTENANCE_EXPERIENCE } from './node-signal.ts';
import type { Cluster, NodePool, Scenario, ScenarioEvent } from './scenario.ts';

/** What a kubelet lists: about 12 kB of a node's JSON. */
const DEFAULT_IMAGES = 30;

/** The machines of a scenario, and the Node objects that stand for them. */
export class SimulatedCluster {
  readonly cluster: Cluster;
  readonly #pools: ReadonlyMap<string, NodePool>;
  readonly #machines = new Map<string, { readonly pool: NodePool; readonly index: number }>();
  readonly #images: readonly ContainerImage[];
  readonly #store: ObjectStore;

  /** Creates all nodes. */
  constructor(store: ObjectStore, scenario: Scenario, images: number = DEFAULT_IMAGES) {
    this.#store = store;
    this.cluster = scenario.cluster;
    this.#images = containerImages(images);
    this.#pools = new Map(scenario.pools.map((pool) => [pool.name, pool]));
    if (scenario.cluster.gracefulTermination) {
      store.create(CONFIG_MAPS, {
        metadata: { ...DISRUPTION_HANDLING },
        data: { [MAINTENANCE_EXPERIENCE]: 'gracefulTermination: true\n' },
      });
    }
    for (const pool of scenario.pools) {
      for (let index = 0; index < pool.nodes; index += 1) {
        const name = nodeName(this.cluster, pool, index);
        this.#machines.set(name, { pool, index });
        this.createNode(name);
      }
    }
  }

  /** Name of the pool of a node; empty if the node is none of the scenario's. */
  poolOf(node: string): string {
    return this.#machines.get(node)?.pool.name ?? '';
  }

  /** Names of a pool's nodes, in the order of their indexes. Throws a RangeError if there is no such pool. */
  nodesOf(poolName: string): string[] {
    const pool = this.#pool(poolName);
    return Array.from({ length: pool.nodes }, (_, index) => nodeName(this.cluster, pool, index));
  }

  /** The nodes that an event is about; of a slice always all. */
  targetsOf(
    event: Pick<ScenarioEvent, 'pool'> & { node?: number | undefined; nodes?: number | undefined },
  ): string[] {
    const names = this.nodesOf(event.pool);
    if (this.isSlice(event.pool)) return names;
    const { node, nodes = 1 } = event;
    return node === undefined ? names.slice(0, nodes) : names.slice(node, node + 1);
  }

  /** Whether the pool is one multi-host TPU slice. */
  isSlice(poolName: string): boolean {
    return this.#pool(poolName).tpu?.multiHost === true;
  }

  /**
   * Registers a node anew after its VM was created again: same name, new uid and instance id. A version overrides the
   * pool's. A machine that the scenario does not know is left alone.
   */
  createNode(name: string, version?: string): Node | undefined {
    const machine = this.#machines.get(name);
    if (machine === undefined || this.#store.get(NODES, name) !== undefined) return undefined;
    const { index } = machine;
    const pool = version === undefined ? machine.pool : { ...machine.pool, version };
    if (version !== undefined) this.#machines.set(name, { pool, index });
    return this.#store.create(NODES, gkeNode({ cluster: this.cluster, pool, index, images: this.#images }));
  }

  #pool(name: string): NodePool {
    const pool = this.#pools.get(name);
    if (pool === undefined) throw new RangeError(`there is no pool ${name}`);
    return pool;
  }
}
