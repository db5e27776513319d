import { type GkeNode, parseNode } from '../gke/node.ts';
import { FAILURE_REASONS } from '../kubernetes/kubernetes-error.ts';
import { sample } from '../metrics/catalogue.ts';
import type { StorePart } from '../metrics/store-part.ts';
import type { Collector, CollectorContext, CollectorDefinition } from './collector.ts';
import { checkKubernetes, followResource } from './follow.ts';
import type { InvalidValues } from './invalid-values.ts';
import type { NodeDirectory } from './node-directory.ts';
import { nodeSamples } from './node-samples.ts';

/** Node objects: what GKE says on them of maintenance, and how many nodes each node pool has. */
export const nodesCollector: CollectorDefinition = {
  name: 'nodes',
  help: 'Node objects of the Kubernetes API: labels, taints and annotations that tell of maintenance.',
  enabledByDefault: true,
  failureReasons: FAILURE_REASONS,
  maxAge: (config) => config.kubernetes.maxAge,
  check: checkKubernetes,
  create: (context: CollectorContext): Promise<Collector> =>
    followResource({ plural: 'nodes', path: '/api/v1/nodes', parse: parseNode }, new Nodes(context), context),
};

/** What must be remembered of a node to count its pool when it changes or goes. */
type PoolMember = Pick<GkeNode, 'nodePool' | 'ready'>;

class Nodes {
  readonly #part: StorePart;
  readonly #invalidValues: InvalidValues;
  readonly #directory: NodeDirectory | undefined;
  readonly #members = new Map<string, PoolMember>();
  readonly #pools = new Map<string, { nodes: number; ready: number }>();

  constructor({ part, invalidValues, nodes }: CollectorContext) {
    this.#part = part;
    this.#invalidValues = invalidValues;
    this.#directory = nodes;
    nodes?.clear();
  }

  readonly upsert = (uid: string, node: GkeNode): void => {
    for (const invalid of node.invalid) this.#invalidValues.report(invalid, node.name);
    this.#part.replace(uid, nodeSamples(node));
    this.#setMember(uid, { nodePool: node.nodePool, ready: node.ready });
    this.#directory?.set({ uid, name: node.name, nodePool: node.nodePool });
  };

  readonly remove = (uid: string): void => {
    this.#part.delete(uid);
    this.#setMember(uid, undefined);
    this.#directory?.delete(uid);
  };

  readonly synced = (): void => this.#directory?.complete();

  #setMember(uid: string, member: PoolMember | undefined): void {
    const before = this.#members.get(uid);
    if (before?.nodePool === member?.nodePool && before?.ready === member?.ready) return;
    if (before !== undefined) this.#count(before, -1);
    if (member === undefined) this.#members.delete(uid);
    else {
      this.#members.set(uid, member);
      this.#count(member, 1);
    }
  }

  #count({ nodePool, ready }: PoolMember, by: 1 | -1): void {
    const pool = this.#pools.get(nodePool) ?? { nodes: 0, ready: 0 };
    pool.nodes += by;
    pool.ready += ready ? by : 0;
    if (pool.nodes === 0) this.#pools.delete(nodePool);
    else this.#pools.set(nodePool, pool);
    this.#part.replace(
      `node pool ${nodePool}`,
      pool.nodes === 0
        ? []
        : [
            sample('gke_node_pool_nodes', { node_pool: nodePool }, pool.nodes),
            sample('gke_node_pool_nodes_ready', { node_pool: nodePool }, pool.ready),
          ],
    );
  }
}
