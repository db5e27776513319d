import { setTimeout as delay } from 'node:timers/promises';
import pRetry from 'p-retry';
import type { ClusterIdentity } from '../google/cluster-identity.ts';
import { GOOGLE_FAILURE_REASONS, GoogleError } from '../google/google-error.ts';
import type { Monitoring } from '../google/monitoring.ts';
import type { Collector, CollectorContext, CollectorDefinition } from './collector.ts';
import { InterruptionReader, type InterruptionSink } from './interruption-reader.ts';
import { Interruptions } from './interruptions.ts';

/** Cloud Monitoring: the interruptions of nodes and node pools that GKE counts. */
export const monitoringCollector: CollectorDefinition = {
  name: 'monitoring',
  help: 'Interruption counts of nodes and node pools in Cloud Monitoring.',
  enabledByDefault: true,
  failureReasons: GOOGLE_FAILURE_REASONS,
  maxAge: () => undefined,
  check: () => Promise.resolve(),
  create: async (context: CollectorContext): Promise<Collector> => {
    const google = await import('../google/monitoring.ts');
    return { run: (signal) => new InterruptionCounting(context, google.Monitoring).run(signal) };
  },
};

const FIRST_BACKOFF = 2000;
/** What changes by time alone is rendered anew at most once a second, which no scraper notices. */
const SHORTEST_TIMER = 1000;
/** Timers of Node.js end at 24 days. */
const LONGEST_TIMER = 3_600_000;

/** Reads every project in a loop of its own, and shows all that they say. */
class InterruptionCounting {
  readonly #context: CollectorContext;
  readonly #MonitoringClient: typeof Monitoring;
  readonly #interruptions: Interruptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: CollectorContext, MonitoringClient: typeof Monitoring) {
    this.#context = context;
    this.#MonitoringClient = MonitoringClient;
    const { config, part } = context;
    this.#interruptions = new Interruptions({
      times: config.monitoring.times,
      nodeRetention: config.monitoring.nodeRetention,
      replace: (key, samples) => part.replace(key, samples),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { identity, config, health, telemetry, log } = this.#context;
    const { projectIds, ...selection } = await identity.wait((error) =>
      health.failed(error.reason, error.message),
    );
    const client = new this.#MonitoringClient({
      endpoint: config.monitoring.endpoint,
      universeDomain: config.google.universeDomain,
      telemetry,
    });
    log.info('reads interruption counts', { endpoint: client.endpoint, projects: projectIds.join(',') });
    // Requests under way must not outlive the exporter.
    const close = (): void => void client.close();
    signal.addEventListener('abort', close, { once: true });
    health.expect(projectIds);
    for (const project_id of projectIds) {
      telemetry.increment('gke_disruption_monitoring_time_series_read_total', { project_id }, 0);
      telemetry.increment('gke_disruption_monitoring_partial_responses_total', { project_id }, 0);
    }
    try {
      await Promise.all(projectIds.map((projectId) => this.#follow(projectId, selection, client, signal)));
    } finally {
      clearTimeout(this.#timer);
      signal.removeEventListener('abort', close);
      close();
    }
  }

  /** Reads a project until `signal` aborts: every interval, and after a failure sooner. */
  async #follow(
    projectId: string,
    selection: Omit<ClusterIdentity, 'projectIds'>,
    client: Monitoring,
    signal: AbortSignal,
  ): Promise<void> {
    const { times, pollInterval } = this.#context.config.monitoring;
    const reader = new InterruptionReader({
      projectId,
      selection,
      times,
      list: (query) => client.list(query),
      sink: this.#sink(projectId),
    });
    while (!signal.aborted) {
      const started = Date.now();
      await pRetry(() => this.#read(projectId, reader), {
        retries: Number.POSITIVE_INFINITY,
        minTimeout: Math.min(FIRST_BACKOFF, pollInterval),
        maxTimeout: pollInterval,
        randomize: true,
        signal,
        onFailedAttempt: ({ error }) => this.#failed(projectId, error, signal),
      });
      await delay(Math.max(0, started + pollInterval - Date.now()), undefined, { signal });
    }
  }

  async #read(projectId: string, reader: InterruptionReader): Promise<void> {
    const started = performance.now();
    try {
      await reader.read(Date.now());
    } finally {
      this.#interruptions.forget(Date.now());
      this.#render();
    }
    this.#context.health.succeeded((performance.now() - started) / 1000, projectId);
  }

  #failed(projectId: string, error: Error, signal: AbortSignal): void {
    if (signal.aborted) return;
    if (!(error instanceof GoogleError)) throw error;
    this.#context.health.failed(error.reason, error.message, projectId);
  }

  #sink(projectId: string): InterruptionSink {
    const { invalidValues } = this.#context;
    return {
      points: (points, now) => {
        const refused = this.#interruptions.add(points, now);
        if (refused === 0) return;
        invalidValues.report({ source: 'monitoring', field: 'points', value: 'too many' }, projectId);
      },
      nodePools: (pools) => this.#interruptions.setNodePools(projectId, pools),
      invalid: (value) => invalidValues.report(value, projectId),
    };
  }

  /** Brings the series up to date, and does it again when the next of them changes by time alone. */
  #render(): void {
    clearTimeout(this.#timer);
    const next = this.#interruptions.render(Date.now()) - Date.now();
    const wait = Math.min(Math.max(next, SHORTEST_TIMER), LONGEST_TIMER);
    this.#timer = setTimeout(() => this.#render(), wait);
  }
}
