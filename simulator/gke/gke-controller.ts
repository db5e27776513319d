import type { StoreEvent } from '../kubernetes/event-history.ts';
import { labelsOf } from '../kubernetes/object.ts';
import { NODES, type Node } from '../kubernetes/resource.ts';
import { ControlPlane, type ControlPlaneParts, setLabel } from './control-plane.ts';
import { HostMaintenance, type MaintenanceParameters } from './host-maintenance.ts';
import { beat, isReady, removeTaint } from './node-condition.ts';
import { cordon, defragment, hostError, preempt, upgrade } from './node-replacement.ts';
import { PERFORM_MAINTENANCE, UNSCHEDULABLE, UPCOMING_MAINTENANCE } from './node-signal.ts';
import type { ScenarioEvent } from './scenario.ts';
import { TIMING } from './timing.ts';

/** The nodes that an event is about are found by pool and index. */
type EventOf<W extends ScenarioEvent['what']> = Extract<ScenarioEvent, { what: W }>;

/**
 * What GKE, Compute Engine and Kubernetes' node controller do to nodes; and the operator of a scenario, who only does what
 * kubectl can do. What a real operator does with kubectl is seen in the store.
 */
export class GkeController {
  readonly #gke: ControlPlane;
  readonly #maintenances = new Map<string, HostMaintenance>();
  readonly #unwatch: () => void;
  #heartbeats: NodeJS.Timeout | undefined;

  constructor(parts: ControlPlaneParts) {
    this.#gke = new ControlPlane(parts);
    this.#unwatch = parts.store.watch(NODES, (event) => this.#onNode(event));
  }

  /**
   * Announces maintenance of nodes, which begins at the start of the window or when the operator asks for it. Nodes of one
   * call act together; what was announced for them before is cancelled. Resolves when record and labels are gone; rejects when the simulator stops.
   */
  async maintain(nodes: readonly string[], parameters: MaintenanceParameters): Promise<void> {
    this.cancelMaintenance(nodes);
    const maintenance = new HostMaintenance(this.#gke, nodes, parameters);
    for (const name of nodes) this.#maintenances.set(name, maintenance);
    await maintenance.run();
  }

  /** Takes announced maintenance back, if it has not begun. */
  cancelMaintenance(nodes: readonly string[]): void {
    for (const name of nodes) this.#maintenances.get(name)?.cancel();
  }

  /** Lets an event of a scenario happen. Resolves when all that follows from it has happened. */
  async happen(event: ScenarioEvent): Promise<void> {
    switch (event.what) {
      case 'maintenance':
        await this.#maintainTargets(event);
        return;
      case 'upgrade':
        await upgrade(this.#gke, event.pool, event.version);
        return;
      case 'host error':
        await Promise.all(this.#targets(event).map((name) => hostError(this.#gke, name, event)));
        return;
      case 'preemption':
        await Promise.all(this.#targets(event).map((name) => preempt(this.#gke, name, event.awayFor)));
        return;
      case 'defragmentation':
        await Promise.all(this.#targets(event).map((name) => defragment(this.#gke, name)));
        return;
      case 'cancelled maintenance':
        this.cancelMaintenance(this.#targets(event));
        return;
      case 'perform maintenance':
      case 'cordon':
      case 'uncordon':
        for (const name of this.#targets(event)) this.#operate(event, name);
        return;
      default:
        void (event satisfies never);
    }
  }

  /** From now on every Ready node's heartbeat is written now and then, spread over the nodes. */
  startHeartbeats(): void {
    const parts = 20;
    let turn = 0;
    this.#heartbeats = setInterval(
      () => {
        turn = (turn + 1) % parts;
        for (const [index, node] of this.#gke.store.list(NODES).entries()) {
          if (index % parts === turn && isReady(node)) {
            this.#gke.change(node.metadata.name, (draft) => beat(draft, Date.now()));
          }
        }
      },
      TIMING.heartbeat / this.#gke.clock.speed / parts,
    );
  }

  stop(): void {
    this.#unwatch();
    clearInterval(this.#heartbeats);
  }

  async #maintainTargets(event: EventOf<'maintenance'>): Promise<void> {
    const targets = this.#targets(event);
    if (this.#gke.machines.isSlice(event.pool)) await this.maintain(targets, event);
    else await Promise.all(targets.map((name) => this.maintain([name], event)));
  }

  #targets(event: Exclude<ScenarioEvent, EventOf<'upgrade'>>): string[] {
    return this.#gke.machines.targetsOf(event);
  }

  /** The operator's commands, as kubectl would give them. */
  #operate(event: EventOf<'perform maintenance' | 'cordon' | 'uncordon'>, name: string): void {
    switch (event.what) {
      case 'perform maintenance':
        this.#gke.change(name, (node) => setLabel(node, PERFORM_MAINTENANCE, 'true'));
        return;
      case 'cordon':
        cordon(this.#gke, name);
        this.#gke.tell(name, 'node cordoned');
        return;
      case 'uncordon':
        this.#gke.change(name, (node) => {
          const { unschedulable: _unschedulable, ...spec } = node.spec;
          node.spec = spec;
          removeTaint(node, UNSCHEDULABLE);
        });
        this.#gke.tell(name, 'node uncordoned');
        return;
      default:
        void (event satisfies never);
    }
  }

  #onNode({ object, previous }: StoreEvent<Node>): void {
    const asked = (node: Node | undefined) =>
      node !== undefined && labelsOf(node)[PERFORM_MAINTENANCE] === 'true';
    if (!asked(object) || asked(previous)) return;
    const { name } = object.metadata;
    const maintenance = this.#maintenances.get(name);
    // Not in the same turn: the writer of the label shall have its answer first.
    if (maintenance !== undefined && !maintenance.over) queueMicrotask(() => maintenance.requestedByLabel());
    // A record that somebody else has written, such as a recording, is theirs to go on with.
    else if (object.metadata.annotations?.[UPCOMING_MAINTENANCE] === undefined) {
      this.#gke.tell(name, 'request ignored', 'No maintenance is announced for it.');
    }
  }
}
