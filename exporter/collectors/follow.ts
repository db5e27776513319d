import * as v from 'valibot';
import type { Config } from '../config/config.ts';
import { showValue } from '../gke/invalid-value.ts';
import { KubernetesError } from '../kubernetes/kubernetes-error.ts';
import type { Resource } from '../kubernetes/reflector.ts';
import type { Collector, CollectorContext } from './collector.ts';

/** What a collector does with the objects of a resource. */
export interface ObjectHandlers<T> {
  readonly upsert: (uid: string, object: T) => void;
  readonly remove: (uid: string) => void;
  /** All objects were listed and reported. */
  readonly synced?: () => void;
}

/** Looks at the kubeconfig. Throws when it cannot be used. */
export async function checkKubernetes({ kubernetes }: Config): Promise<void> {
  const { checkKubeConfig } = await import('../kubernetes/kubeconfig.ts');
  checkKubeConfig(kubernetes);
}

const LONGEST_WATCH_SECONDS = 40;

/** A collector that follows a Kubernetes resource, and keeps health, telemetry and log of it. */
export async function followResource<T>(
  resource: Resource<T>,
  handlers: ObjectHandlers<T>,
  context: CollectorContext,
): Promise<Collector> {
  const [{ Reflector, RELIST_REASONS, WATCH_ENDS }, { WATCH_EVENT_TYPES }, { loadKubeConfig }] =
    await Promise.all([
      import('../kubernetes/reflector.ts'),
      import('../kubernetes/watch-stream.ts'),
      import('../kubernetes/kubeconfig.ts'),
    ]);
  const { config, health, invalidValues, telemetry } = context;
  const { plural } = resource;
  const relisted = (reason: string, by?: number) =>
    telemetry.increment('gke_disruption_kubernetes_relists_total', { resource: plural, reason }, by);
  const ended = (reason: string, by?: number) =>
    telemetry.increment('gke_disruption_kubernetes_watch_restarts_total', { resource: plural, reason }, by);
  const received = (type: string, by?: number) =>
    telemetry.increment('gke_disruption_kubernetes_watch_events_total', { resource: plural, type }, by);
  for (const reason of RELIST_REASONS) relisted(reason, 0);
  for (const reason of WATCH_ENDS) ended(reason, 0);
  for (const type of WATCH_EVENT_TYPES) received(type, 0);
  return new Reflector({
    resource,
    loadKubeConfig: () => loadKubeConfig(config.kubernetes),
    pageSize: config.kubernetes.pageSize,
    // A quiet cluster is heard when a watch begins: often enough that its data does not grow too old meanwhile.
    times: {
      watchSeconds: Math.min(Math.max(Math.floor(config.kubernetes.maxAge / 2000), 1), LONGEST_WATCH_SECONDS),
    },
    sink: {
      upsert: handlers.upsert,
      remove: handlers.remove,
      synced: (seconds) => {
        handlers.synced?.();
        health.succeeded(seconds);
      },
      heard: () => health.heard(),
      failed: (error) => health.failed(failureReason(error), failureMessage(error, plural)),
      skipped: (error) =>
        invalidValues.report(
          { source: 'object', field: plural, value: showValue(whatIsWrong(error)) },
          plural,
        ),
      relisting: relisted,
      watchEnded: ended,
      received,
    },
  });
}

function failureReason(error: Error): string {
  return error instanceof KubernetesError ? error.reason : 'internal';
}

function failureMessage(error: Error, plural: string): string {
  if (!(error instanceof KubernetesError) || error.reason !== 'forbidden') return error.message;
  return `${error.message} (needed: the verbs list and watch on ${plural})`;
}

/** What is wrong with an object, by its path. */
function whatIsWrong(error: Error): string {
  if (!(error instanceof v.ValiError)) return error.message;
  return error.issues.map((issue) => `${v.getDotPath(issue) ?? 'object'}: ${issue.message}`).join('; ');
}
