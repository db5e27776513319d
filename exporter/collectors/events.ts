import { type MaintenanceEvent, type OTHER_EVENT, parseMaintenanceEvent } from '../gke/maintenance-event.ts';
import { FAILURE_REASONS } from '../kubernetes/kubernetes-error.ts';
import { sample } from '../metrics/catalogue.ts';
import type { Sample } from '../metrics/family.ts';
import type { Collector, CollectorContext, CollectorDefinition } from './collector.ts';
import { checkKubernetes, followResource } from './follow.ts';

/** Events about nodes: when GKE last said what of a node's maintenance. The API server keeps an Event for an hour. */
export const eventsCollector: CollectorDefinition = {
  name: 'events',
  help: "Events of the Kubernetes API that tell of nodes' maintenance.",
  enabledByDefault: true,
  failureReasons: FAILURE_REASONS,
  maxAge: (config) => config.kubernetes.maxAge,
  check: checkKubernetes,
  create: async (context: CollectorContext): Promise<Collector> => {
    const events = new MaintenanceEvents(context);
    const resource = {
      plural: 'events',
      path: '/api/v1/events',
      fieldSelector: 'involvedObject.kind=Node',
      parse: parseMaintenanceEvent,
    };
    const collector = await followResource(resource, events, context);
    return {
      run: async (signal) => {
        const end = context.nodes?.listen((name) => events.nodeChanged(name));
        try {
          await collector.run(signal);
        } finally {
          end?.();
        }
      },
    };
  },
};

class MaintenanceEvents {
  readonly #context: CollectorContext;
  readonly #events = new Map<string, MaintenanceEvent>();
  readonly #byNode = new Map<string, Set<string>>();
  /** Events that were counted as ignored. */
  readonly #ignored = new Set<string>();

  constructor(context: CollectorContext) {
    this.#context = context;
    context.telemetry.increment('gke_disruption_events_ignored_total', { reason: 'node_gone' }, 0);
  }

  readonly upsert = (uid: string, event: MaintenanceEvent | typeof OTHER_EVENT): void => {
    if (typeof event === 'string') {
      this.remove(uid);
      return;
    }
    this.#events.set(uid, event);
    const uids = this.#byNode.get(event.node) ?? new Set();
    this.#byNode.set(event.node, uids.add(uid));
    this.#render(event.node);
  };

  readonly remove = (uid: string): void => {
    const event = this.#events.get(uid);
    if (event === undefined) return;
    this.#events.delete(uid);
    this.#ignored.delete(uid);
    const uids = this.#byNode.get(event.node);
    uids?.delete(uid);
    if (uids?.size === 0) this.#byNode.delete(event.node);
    this.#render(event.node);
  };

  nodeChanged(name: string): void {
    for (const node of name === '' ? this.#byNode.keys() : [name]) this.#render(node);
  }

  #render(node: string): void {
    const events = [...(this.#byNode.get(node) ?? [])].flatMap((uid) => {
      const event = this.#events.get(uid);
      return event !== undefined && this.#isOfNode(uid, event) ? [event] : [];
    });
    this.#context.part.replace(node, this.#samples(node, events));
  }

  /** Whether the node of an Event is there, and is not another one of the same name. */
  #isOfNode(uid: string, { node, nodeUid }: MaintenanceEvent): boolean {
    const { nodes, telemetry } = this.#context;
    if (nodes === undefined) return true;
    if (!nodes.isComplete) return false;
    const known = nodes.get(node);
    if (known !== undefined && (nodeUid === undefined || nodeUid === known.uid)) return true;
    if (!this.#ignored.has(uid)) {
      this.#ignored.add(uid);
      telemetry.increment('gke_disruption_events_ignored_total', { reason: 'node_gone' });
    }
    return false;
  }

  #samples(node: string, events: readonly MaintenanceEvent[]): Sample[] {
    const nodePool =
      this.#context.nodes?.get(node)?.nodePool ??
      events.find((event) => event.nodePool !== undefined)?.nodePool ??
      '';
    const latest = new Map<string, number>();
    for (const { kind, timestamp } of events) latest.set(kind, Math.max(latest.get(kind) ?? 0, timestamp));
    return Array.from(latest, ([event, timestamp]) =>
      sample(
        'gke_node_last_maintenance_event_timestamp_seconds',
        { node, node_pool: nodePool, event },
        timestamp,
      ),
    );
  }
}
