import { parseMaintenanceRecord } from '../gke/maintenance-record.ts';
import type { ClusterIdentity } from '../google/cluster-identity.ts';
import type { Compute, Instance } from '../google/compute.ts';
import { GOOGLE_FAILURE_REASONS, partialAnswer } from '../google/google-error.ts';
import type { Collector, CollectorContext, CollectorDefinition } from './collector.ts';
import { maintenanceSamples } from './maintenance-samples.ts';
import { pollProjects, type ReadProject } from './poll-projects.ts';

/** The Compute Engine API: the maintenance of every VM of the cluster. */
export const computeCollector: CollectorDefinition = {
  name: 'compute',
  help: 'Compute Engine API: upcoming maintenance of every VM of the cluster.',
  enabledByDefault: false,
  failureReasons: GOOGLE_FAILURE_REASONS,
  maxAge: () => undefined,
  check: () => Promise.resolve(),
  create: async (context: CollectorContext): Promise<Collector> => {
    const google = await import('../google/compute.ts');
    const { config, telemetry } = context;
    const client = new google.Compute({
      endpoint: config.compute.endpoint,
      universeDomain: config.google.universeDomain,
      telemetry,
    });
    return { run: (signal) => new InstanceMaintenance(context, client).run(signal) };
  },
};

/** Shows the maintenance of the VMs of every project. */
class InstanceMaintenance {
  readonly #context: CollectorContext;
  readonly #client: Compute;
  /** Zone of each VM that has something to say, by project and name. */
  readonly #zones = new Map<string, Map<string, string>>();

  constructor(context: CollectorContext, client: Compute) {
    this.#context = context;
    this.#client = client;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { pollInterval } = this.#context.config.compute;
    const prepare =
      (identity: ClusterIdentity): ReadProject =>
      (projectId) =>
        this.#read(projectId, identity, signal);
    await pollProjects(this.#context, pollInterval, prepare, signal);
  }

  async #read(projectId: string, identity: ClusterIdentity, signal: AbortSignal): Promise<void> {
    const { instances, unreachable } = await this.#client.listInstances(projectId, identity, signal);
    this.#show(projectId, instances, unreachable);
    if (unreachable.length > 0) throw partialAnswer(projectId, [`unreachable: ${unreachable.join(', ')}`]);
  }

  /** What is not in the list any more is taken back, unless its zone did not answer. */
  #show(projectId: string, instances: readonly Instance[], unreachable: readonly string[]): void {
    const before = this.#zones.get(projectId) ?? new Map<string, string>();
    const now = new Map<string, string>();
    for (const instance of instances) {
      if (this.#showInstance(instance)) now.set(instance.name, instance.zone);
    }
    const isUnreachable = (zone: string): boolean =>
      unreachable.some((each) => each === zone || each.endsWith(`/${zone}`));
    for (const [name, zone] of before) {
      if (now.has(name)) continue;
      if (isUnreachable(zone)) now.set(name, zone);
      else this.#context.part.delete(name);
    }
    this.#zones.set(projectId, now);
  }

  /** The Node has the name of its VM. Returns whether there is anything to say. */
  #showInstance({ name, nodePool, upcomingMaintenance }: Instance): boolean {
    if (upcomingMaintenance === undefined || upcomingMaintenance === null) return false;
    const { record, invalid } = parseMaintenanceRecord(upcomingMaintenance, 'compute');
    for (const each of invalid) this.#context.invalidValues.report(each, name);
    if (record === undefined) return false;
    this.#context.part.replace(
      name,
      maintenanceSamples({ node: name, node_pool: nodePool }, 'compute', record),
    );
    return true;
  }
}
