import type { ClusterIdentity } from '../google/cluster-identity.ts';
import { GOOGLE_FAILURE_REASONS } from '../google/google-error.ts';
import type { Monitoring, TimeSeriesList, TimeSeriesQuery } from '../google/monitoring.ts';
import type { Collector, CollectorContext, CollectorDefinition } from './collector.ts';
import { InterruptionReader, type InterruptionSink } from './interruption-reader.ts';
import { Interruptions } from './interruptions.ts';
import { pollProjects, type ReadProject } from './poll-projects.ts';

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
    const { config, telemetry } = context;
    const client = new google.Monitoring({
      endpoint: config.monitoring.endpoint,
      universeDomain: config.google.universeDomain,
      telemetry,
    });
    return { run: (signal) => new InterruptionCounting(context, client).run(signal) };
  },
};

/** What changes by time alone is rendered anew at most once a second, which no scraper notices. */
const SHORTEST_TIMER = 1000;
/** Timers of Node.js end at 24 days. */
const LONGEST_TIMER = 3_600_000;

/** Counts what every project says. */
class InterruptionCounting {
  readonly #context: CollectorContext;
  readonly #client: Monitoring;
  readonly #interruptions: Interruptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: CollectorContext, client: Monitoring) {
    this.#context = context;
    this.#client = client;
    const { config, part } = context;
    this.#interruptions = new Interruptions({
      times: config.monitoring.times,
      nodeRetention: config.monitoring.nodeRetention,
      replace: (key, samples) => part.replace(key, samples),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    // Requests under way must not outlive the exporter.
    const close = (): void => void this.#client.close();
    signal.addEventListener('abort', close, { once: true });
    try {
      const { pollInterval } = this.#context.config.monitoring;
      await pollProjects(this.#context, pollInterval, (identity) => this.#prepare(identity), signal);
    } finally {
      clearTimeout(this.#timer);
      signal.removeEventListener('abort', close);
      close();
    }
  }

  #prepare({ projectIds, ...selection }: ClusterIdentity): ReadProject {
    const { config, telemetry, log } = this.#context;
    log.info('reads interruption counts', {
      endpoint: this.#client.endpoint,
      projects: projectIds.join(','),
    });
    const readers = new Map(
      projectIds.map((projectId) => {
        const list = (query: TimeSeriesQuery): Promise<TimeSeriesList> => this.#client.list(query);
        const { times } = config.monitoring;
        const sink = this.#sink(projectId);
        return [projectId, new InterruptionReader({ projectId, selection, times, list, sink })];
      }),
    );
    for (const project_id of projectIds) {
      telemetry.increment('gke_disruption_monitoring_time_series_read_total', { project_id }, 0);
      telemetry.increment('gke_disruption_monitoring_partial_responses_total', { project_id }, 0);
    }
    return async (projectId) => {
      try {
        await readers.get(projectId)?.read(Date.now());
      } finally {
        this.#interruptions.forget(Date.now());
        this.#render();
      }
    };
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
