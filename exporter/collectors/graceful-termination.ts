import type { GracefulTermination } from '../gke/graceful-termination.ts';
import { FAILURE_REASONS } from '../kubernetes/kubernetes-error.ts';
import { sample } from '../metrics/catalogue.ts';
import type { StorePart } from '../metrics/store-part.ts';
import type { Collector, CollectorContext, CollectorDefinition } from './collector.ts';
import { checkKubernetes, followResource } from './follow.ts';
import type { InvalidValues } from './invalid-values.ts';

/** The ConfigMap by which an operator turns graceful termination on. Source: GKE documentation. */
const namespace = 'kube-system';
const name = 'gke-disruption-handling';

/** One ConfigMap: whether GKE ends the pods of a node gracefully before it takes the node down. */
export const gracefulTerminationCollector: CollectorDefinition = {
  name: 'graceful-termination',
  help: `The ConfigMap ${namespace}/${name}, which turns graceful termination on.`,
  enabledByDefault: true,
  failureReasons: FAILURE_REASONS,
  maxAge: (config) => config.kubernetes.maxAge,
  check: checkKubernetes,
  create: async (context: CollectorContext): Promise<Collector> => {
    const { parseGracefulTermination } = await import('../gke/graceful-termination.ts');
    const resource = {
      plural: 'configmaps',
      path: `/api/v1/namespaces/${namespace}/configmaps`,
      fieldSelector: `metadata.name=${name}`,
      parse: parseGracefulTermination,
    };
    return followResource(resource, new DisruptionHandling(context.part, context.invalidValues), context);
  },
};

class DisruptionHandling {
  readonly #part: StorePart;
  readonly #invalidValues: InvalidValues;
  #exists = false;

  constructor(part: StorePart, invalidValues: InvalidValues) {
    this.#part = part;
    this.#invalidValues = invalidValues;
  }

  readonly upsert = (_uid: string, { enabled, invalid }: GracefulTermination): void => {
    this.#exists = true;
    if (invalid !== undefined) this.#invalidValues.report(invalid, name);
    this.#show(enabled);
  };

  readonly remove = (): void => {
    this.#exists = false;
    this.#show(false);
  };

  /** Where there is no ConfigMap, graceful termination is off. */
  readonly synced = (): void => {
    if (!this.#exists) this.#show(false);
  };

  #show(enabled: boolean | undefined): void {
    const value = enabled === undefined ? [] : [Number(enabled)];
    this.#part.replace(
      name,
      value.map((each) => sample('gke_cluster_graceful_termination_enabled', {}, each)),
    );
  }
}
