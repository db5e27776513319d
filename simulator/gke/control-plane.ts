import type { ObjectStore } from '../kubernetes/object-store.ts';
import { NODES, type Node } from '../kubernetes/resource.ts';
import type { Clock } from './clock.ts';
import type { Happenings, Interruption, What } from './happening.ts';
import { type MaintenanceEventDetails, writeMaintenanceEvent } from './node-events.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';

export interface ControlPlaneParts {
  readonly store: ObjectStore;
  readonly machines: SimulatedCluster;
  readonly clock: Clock;
  readonly happenings: Happenings;
}

/** What everything that GKE does to nodes has in common: it changes objects, and it is told. */
export class ControlPlane {
  readonly store: ObjectStore;
  readonly machines: SimulatedCluster;
  readonly clock: Clock;
  readonly happenings: Happenings;

  constructor({ store, machines, clock, happenings }: ControlPlaneParts) {
    this.store = store;
    this.machines = machines;
    this.clock = clock;
    this.happenings = happenings;
  }

  node(name: string): Node | undefined {
    return this.store.get(NODES, name);
  }

  /** Changes a node, if it is there: anybody may have deleted it. Returns it. */
  change(name: string, change: (draft: Node) => void): Node | undefined {
    return this.node(name) === undefined ? undefined : this.store.update(NODES, name, change);
  }

  delete(name: string): void {
    if (this.node(name) !== undefined) this.store.delete(NODES, name);
  }

  tell(node: string, what: What, detail = '', interruption?: Interruption): void {
    const nodePool = this.machines.poolOf(node);
    this.happenings.add({ at: Date.now(), node, nodePool, what, detail, interruption });
  }

  /** Writes an Event about a node, if it is there. */
  event(name: string, details: Omit<MaintenanceEventDetails, 'nodePool'>): void {
    const node = this.node(name);
    if (node !== undefined)
      writeMaintenanceEvent(this.store, node, { ...details, nodePool: this.machines.poolOf(name) });
  }
}

/** Sets a label of a draft; undefined removes it. */
export function setLabel(node: Node, key: string, value: string | undefined): void {
  const { [key]: _old, ...rest } = node.metadata.labels ?? {};
  node.metadata.labels = value === undefined ? rest : { ...rest, [key]: value };
}

/** Sets an annotation of a draft; undefined removes it. */
export function setAnnotation(node: Node, key: string, value: string | undefined): void {
  const { [key]: _old, ...rest } = node.metadata.annotations ?? {};
  node.metadata.annotations = value === undefined ? rest : { ...rest, [key]: value };
}
