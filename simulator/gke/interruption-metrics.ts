import type { SeriesIdentity, TimeSeriesStore } from '../google/time-series-store.ts';
import type { Interruption } from './happening.ts';
import type { Cluster } from './scenario.ts';

/** Sampled every 60 s; visible up to 120 s later for nodes, 150 s for node pools. Documented: GKE system metrics. */
const SAMPLE_PERIOD_MS = 60_000;
const DELAY_MS = { node: 120_000, node_pool: 150_000 } as const;

/** An interruption of a node as the metrics tell it. */
export interface RecordedInterruption extends Interruption {
  readonly node: string;
  readonly nodePool: string;
  /** Of its sample, in Unix milliseconds. */
  readonly endTime: number;
}

/** Writes what happens to nodes to Cloud Monitoring, as GKE does: a sample where something happened, nothing elsewhere. */
export class InterruptionMetrics {
  readonly #store: TimeSeriesStore;
  readonly #resource: Readonly<Record<'project_id' | 'location' | 'cluster_name', string>>;
  readonly #speed: number;
  readonly #recorded: RecordedInterruption[] = [];

  /** `speed`: how many times faster GKE's durations pass. */
  constructor(store: TimeSeriesStore, { project, location, name }: Cluster, speed: number) {
    this.#store = store;
    this.#resource = { project_id: project, location, cluster_name: name };
    this.#speed = speed;
  }

  /** All that were recorded: the truth that counts are held against. */
  get recorded(): readonly RecordedInterruption[] {
    return this.#recorded;
  }

  /** Records an interruption at an instant, in Unix milliseconds. `lateMs`: so much longer than usual until it is visible. */
  record(
    { node, nodePool, type, reason }: Omit<RecordedInterruption, 'endTime'>,
    at: number = Date.now(),
    lateMs = 0,
  ): void {
    const period = SAMPLE_PERIOD_MS / this.#speed;
    const endTime = Math.ceil(Math.ceil(at / period) * period);
    const metricLabels = { interruption_type: type, interruption_reason: reason };
    for (const [kind, resourceLabels] of [
      ['node', { ...this.#resource, node_name: node }],
      ['node_pool', { ...this.#resource, node_pool_name: nodePool }],
    ] as const) {
      const metricType = `kubernetes.io/${kind}/interruption_count`;
      const identity = { metricType, metricLabels, resourceType: `k8s_${kind}`, resourceLabels };
      const visibleAt = endTime + DELAY_MS[kind] / this.#speed + lateMs;
      this.#store.add(identity, { endTime, visibleAt }, 1);
    }
    this.#recorded.push({ node, nodePool, type, reason, endTime });
  }

  /** From now on the status of a node pool is sampled: it exists. */
  addNodePool(nodePool: string): void {
    this.#store.sample(this.#statusOf(nodePool), {
      value: { boolValue: true },
      periodMs: SAMPLE_PERIOD_MS / this.#speed,
      delayMs: DELAY_MS.node / this.#speed,
    });
  }

  /** A node pool that was deleted has no status. */
  removeNodePool(nodePool: string): void {
    this.#store.forgetLevel(this.#statusOf(nodePool));
  }

  #statusOf(nodePool: string): SeriesIdentity {
    return {
      metricType: 'kubernetes.io/node_pool/status',
      metricLabels: { status: 'RUNNING' },
      resourceType: 'k8s_node_pool',
      resourceLabels: { ...this.#resource, node_pool_name: nodePool },
    };
  }
}
