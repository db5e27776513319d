import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clock } from './gke/clock.ts';
import { GkeController } from './gke/gke-controller.ts';
import { Happenings } from './gke/happening.ts';
import { InterruptionMetrics } from './gke/interruption-metrics.ts';
import type { Scenario } from './gke/scenario.ts';
import { SimulatedCluster } from './gke/simulated-cluster.ts';
import { tellStory } from './gke/story.ts';
import { type ComputeServer, startComputeServer } from './google/compute-server.ts';
import { type MonitoringServer, startMonitoringServer } from './google/monitoring-server.ts';
import { TimeSeriesStore } from './google/time-series-store.ts';
import { VirtualMachines } from './google/virtual-machines.ts';
import { type ApiServer, startApiServer } from './kubernetes/api-server.ts';
import { BearerToken } from './kubernetes/bearer-token.ts';
import type { Faults } from './kubernetes/fault.ts';
import { writeKubeconfig } from './kubernetes/kubeconfig.ts';
import { ObjectStore } from './kubernetes/object-store.ts';
import type { RequestLog } from './kubernetes/request-log.ts';
import { NAMESPACES, RESOURCES, type Resource } from './kubernetes/resource.ts';
import type { ExpiredWatch } from './kubernetes/resource-requests.ts';

export interface SimulatorOptions {
  /** From readScenario or parseScenario; default: a cluster without nodes in which nothing happens. */
  readonly scenario?: Scenario;
  /** Overrides the scenario's speed. */
  readonly speed?: number;
  /** Number of images that each node lists; default 30, which makes about 12 kB of JSON. */
  readonly images?: number;
  /** Whether kubelets write their heartbeats; default false. */
  readonly heartbeats?: boolean;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Where to write the kubeconfig; by default in a new temporary folder, which goes when the simulator stops. */
  readonly kubeconfigPath?: string;
  /** Default: a random one. */
  readonly token?: string;
  /** A file that holds the token. Writing it rotates the token. */
  readonly tokenFile?: string;
  /** What `/version` says; default: the version of the scenario's cluster. */
  readonly version?: string;
  /** Default 60,000, as the real server. */
  readonly bookmarkIntervalMs?: number;
  /** How many changes watches and pages can go back at least; default 10,000. */
  readonly historyLength?: number;
  /** What is served; default: nodes, pods, events, configmaps, namespaces and leases. */
  readonly resources?: readonly Resource[];
}

/** A running simulator. */
export interface Simulator {
  /** Of the API server. */
  readonly url: string;
  readonly kubeconfigPath: string;
  /** A file with the certificate authority, PEM. */
  readonly caPath: string;
  /** The token that is accepted now. */
  readonly token: string;
  /** The objects of the cluster. Changes made here reach every client. */
  readonly cluster: ObjectStore;
  /** Which nodes the scenario's pools have. */
  readonly machines: SimulatedCluster;
  /** What GKE does to nodes, for tests that let it happen one by one. */
  readonly gke: GkeController;
  readonly clock: Clock;
  /** Cloud Monitoring. */
  readonly monitoring: MonitoringServer;
  /** What Cloud Monitoring is told of interruptions, by the clock. */
  readonly interruptions: InterruptionMetrics;
  /** The Compute Engine API. */
  readonly compute: ComputeServer;
  /** The VMs of the nodes, each with a metadata server. */
  readonly virtualMachines: VirtualMachines;
  /** The flags with which an exporter reaches all of this. */
  readonly exporterFlags: readonly string[];
  /** What has happened to nodes and what happens. */
  readonly happenings: Happenings;
  /** Resolves when all events of the scenario and what follows from them have happened, or the simulator stops. */
  readonly storyEnds: Promise<void>;
  /** Errors on demand. */
  readonly faults: Faults;
  /** What clients have asked for. */
  readonly requests: RequestLog;
  /** How a watch from a compacted revision is refused; default `status`. */
  expiredWatch: ExpiredWatch;
  /** Refuses the old token from now on and writes the kubeconfig anew. Returns the new token. */
  rotateToken: (token?: string) => string;
  stop: () => Promise<void>;
}

const EMPTY: Scenario = {
  speed: 1,
  cluster: {
    name: 'simulated',
    location: 'us-central1',
    project: 'simulated-project',
    version: '1.35.6-gke.1234000',
    gracefulTermination: false,
  },
  pools: [],
  history: [],
  events: [],
};

/** Starts a GKE cluster without Google; its story begins at once. Rejects if the port is taken or a file cannot be written. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const scenario = options.scenario ?? EMPTY;
  const { historyLength } = options;
  const cluster = new ObjectStore(historyLength === undefined ? {} : { historyLength });
  createNamespaces(cluster);
  const machines = new SimulatedCluster(cluster, scenario, options.images);
  const access = await startAccess(options, scenario, cluster);
  const clock = new Clock(options.speed ?? scenario.speed);
  const happenings = new Happenings();
  const timeSeries = new TimeSeriesStore();
  const monitoring = await startMonitoringServer(timeSeries, new Set([scenario.cluster.project]));
  const interruptions = new InterruptionMetrics(timeSeries, scenario.cluster, clock.speed);
  const virtualMachines = new VirtualMachines(cluster, scenario.cluster, happenings);
  const compute = await startComputeServer(virtualMachines, scenario.cluster);
  recordInterruptions(scenario, { interruptions, machines, happenings });
  const gke = new GkeController({ store: cluster, machines, clock, happenings });
  if (options.heartbeats === true) gke.startHeartbeats();
  const storyEnds = tellStory(scenario.events, gke, clock);
  const exporterFlags = flagsFor(scenario, access.kubeconfigPath, { monitoring, compute });
  const simulation = {
    cluster,
    machines,
    gke,
    clock,
    happenings,
    monitoring,
    interruptions,
    compute,
    virtualMachines,
    exporterFlags,
    storyEnds,
  };
  return Object.assign(access, simulation, {
    async stop() {
      clock.stop();
      gke.stop();
      happenings.end();
      await Promise.all([monitoring.stop(), compute.stop(), virtualMachines.stop(), access.close()]);
    },
  });
}

/** What happened before the simulator began, and what will happen. */
function recordInterruptions(
  { pools, history }: Scenario,
  { interruptions, machines, happenings }: Pick<Simulator, 'interruptions' | 'machines' | 'happenings'>,
): void {
  for (const { name } of pools) interruptions.addNodePool(name);
  for (const { ago, pool, node, type, reason } of history) {
    const name = machines.nodesOf(pool)[node];
    if (name !== undefined)
      interruptions.record({ node: name, nodePool: pool, type, reason }, Date.now() - ago);
  }
  happenings.listen(({ node, nodePool, interruption }) => {
    if (interruption !== undefined) interruptions.record({ node, nodePool, ...interruption });
  });
}

function flagsFor(
  { cluster }: Scenario,
  kubeconfigPath: string,
  { monitoring, compute }: Pick<Simulator, 'monitoring' | 'compute'>,
): readonly string[] {
  return [
    `--kubernetes.kubeconfig=${kubeconfigPath}`,
    `--google.project-id=${cluster.project}`,
    `--google.location=${cluster.location}`,
    `--google.cluster-name=${cluster.name}`,
    `--monitoring.endpoint=${monitoring.url}`,
    `--compute.endpoint=${compute.url}`,
  ];
}

/** The API server and the files by which clients reach it. */
async function startAccess(options: SimulatorOptions, scenario: Scenario, store: ObjectStore) {
  const token = new BearerToken(options.token, options.tokenFile);
  const expired: { watch: ExpiredWatch } = { watch: 'status' };
  const server: ApiServer = await startApiServer({
    store,
    token,
    resources: options.resources ?? RESOURCES,
    version: options.version ?? `v${scenario.cluster.version}`,
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    bookmarkIntervalMs: options.bookmarkIntervalMs ?? 60_000,
    expiredWatch: () => expired.watch,
  });
  const folder = mkdtempSync(join(tmpdir(), 'gke-simulator-'));
  const caPath = join(folder, 'ca.crt');
  writeFileSync(caPath, server.ca);
  const kubeconfigPath = options.kubeconfigPath ?? join(folder, 'kubeconfig');
  const { project, location, name } = scenario.cluster;
  const write = () =>
    writeKubeconfig(kubeconfigPath, {
      server: server.url,
      ca: server.ca,
      token: token.value,
      tokenFile: options.tokenFile,
      context: `gke_${project}_${location}_${name}`,
    });
  write();
  return {
    url: server.url,
    faults: server.faults,
    requests: server.requests,
    kubeconfigPath,
    caPath,
    get token() {
      return token.value;
    },
    get expiredWatch() {
      return expired.watch;
    },
    set expiredWatch(value: ExpiredWatch) {
      expired.watch = value;
    },
    rotateToken(value?: string) {
      token.rotate(value);
      write();
      return token.value;
    },
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function createNamespaces(cluster: ObjectStore): void {
  for (const name of ['default', 'kube-node-lease', 'kube-public', 'kube-system']) {
    cluster.create(NAMESPACES, {
      metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  }
}
