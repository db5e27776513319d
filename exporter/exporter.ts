import type { CollectorContext, CollectorDefinition } from './collectors/collector.ts';
import { CollectorHealth } from './collectors/health.ts';
import { InvalidValues } from './collectors/invalid-values.ts';
import { NodeDirectory } from './collectors/node-directory.ts';
import { collectors } from './collectors/registry.ts';
import { runCollector } from './collectors/run.ts';
import type { Config } from './config/config.ts';
import { IdentityDiscovery } from './google/cluster-identity.ts';
import { MetadataServerClient } from './google/metadata.ts';
import { logger } from './log.ts';
import { sample } from './metrics/catalogue.ts';
import { END } from './metrics/exposition.ts';
import { Store } from './metrics/store.ts';
import { Telemetry } from './metrics/telemetry.ts';
import { build } from './version.ts';
import { createApp } from './web/app.ts';
import type { ReadinessCheck } from './web/readiness.ts';
import { listen } from './web/server.ts';

/** A running exporter. */
export interface Exporter {
  /** `host:port` of each listening socket. */
  readonly addresses: readonly string[];
  /** Ends collectors, and the web server after scrapes under way have finished, for at most five seconds. */
  readonly stop: () => Promise<void>;
}

const GRACE_MILLISECONDS = 5000;

/** The collectors that are on. */
export function enabledCollectors(config: Config): readonly CollectorDefinition[] {
  return collectors.filter(({ name }) => config.collectors.includes(name));
}

/** Assembles collectors, store and web server, and starts them. Throws when an address cannot be listened on. */
export async function startExporter(config: Config): Promise<Exporter> {
  const store = new Store();
  const telemetry = createTelemetry();
  const invalidValues = new InvalidValues(telemetry, logger('values'), Date.now);
  const abort = new AbortController();
  const identity = new IdentityDiscovery(
    config.google,
    new MetadataServerClient(config.metadata.endpoint),
    abort.signal,
  );
  const nodes = config.collectors.includes('nodes') ? new NodeDirectory() : undefined;
  showCluster(identity, store, abort.signal);
  const running = enabledCollectors(config).map((definition) => ({
    definition,
    context: createContext(definition, { config, store, telemetry, invalidValues, identity, nodes }),
  }));
  const app = createApp({
    title: build.name,
    version: build.version,
    telemetryPath: config.web.telemetryPath,
    maxRequests: config.web.maxRequests,
    telemetry,
    expose: async (format) => store.expose(format) + (await telemetry.expose(format)) + END[format],
    checks: running.map(({ definition, context }) => readinessCheck(definition.name, context.health)),
    log: logger('web'),
  });
  const listening = await listen(app.callback(), config.web.listenAddresses).catch((error: unknown) => {
    abort.abort();
    throw error;
  });
  const ended = running.map(({ definition, context }) => runCollector(definition, context, abort.signal));
  return {
    addresses: listening.addresses,
    stop: async () => {
      abort.abort();
      await Promise.all([listening.close(GRACE_MILLISECONDS), ...ended]);
    },
  };
}

/** Says which cluster this is, once it is known and if it is one. */
function showCluster(identity: IdentityDiscovery, store: Store, signal: AbortSignal): void {
  const part = store.part();
  identity
    .wait(() => undefined)
    .then(
      ({ projectIds: [projectId, ...others], location, clusterName }) => {
        if (projectId === undefined || others.length > 0) return;
        if (location === undefined || clusterName === undefined) return;
        const labels = { project_id: projectId, location, cluster_name: clusterName };
        part.replace('cluster', [sample('gke_cluster_info', labels, 1)]);
      },
      (error: unknown) => {
        if (!signal.aborted) throw error;
      },
    );
}

function createTelemetry(): Telemetry {
  const telemetry = new Telemetry();
  const { version, revision, nodeVersion } = build;
  telemetry.set('gke_disruption_exporter_build_info', { version, revision, node_version: nodeVersion }, 1);
  return telemetry;
}

interface Rooms
  extends Pick<CollectorContext, 'config' | 'invalidValues' | 'telemetry' | 'identity' | 'nodes'> {
  readonly store: Store;
}

function createContext(
  { name, failureReasons, maxAge }: CollectorDefinition,
  { config, store, telemetry, invalidValues, identity, nodes }: Rooms,
): CollectorContext {
  for (const reason of [...failureReasons, 'internal']) {
    telemetry.increment('gke_disruption_collector_errors_total', { collector: name, reason }, 0);
  }
  const log = logger(name);
  const oldest = maxAge(config);
  const health = new CollectorHealth({
    collector: name,
    telemetry,
    log,
    maxAge: oldest,
    now: Date.now,
  });
  const part = store.part(() => oldest === undefined || health.isFresh);
  return { config, part, health, invalidValues, telemetry, identity, nodes, log };
}

function readinessCheck(name: string, health: CollectorHealth): ReadinessCheck {
  return { name, isReady: () => health.isFresh, describe: () => health.description };
}
