/** How labels are called where the rules run. */
export interface Dialect {
  /** Those that tell clusters apart, set by who scrapes: not by the exporter. */
  readonly scope: readonly string[];
  /** Those by which the exporter names the cluster of an interruption. */
  readonly cluster: readonly string[];
  /** Whether series under Google's names for interruptions have to be recorded, since nobody else has them. */
  readonly recordsGoogleNames: boolean;
}

/** Prometheus, with one label `cluster` or without. */
export const PROMETHEUS: Dialect = {
  scope: ['cluster'],
  cluster: ['project_id', 'location', 'cluster_name'],
  recordsGoogleNames: true,
};

/**
 * Google Cloud Managed Service for Prometheus, which sets project_id, location, cluster, namespace, job and instance itself; the
 * exporter's own labels of these names come out as `exported_…`. It has Google's metrics without a recording rule.
 * Source: "Managed rule evaluation and alerting" and "Troubleshooting" (reserved labels) of its documentation.
 */
export const MANAGED_PROMETHEUS: Dialect = {
  scope: ['project_id', 'location', 'cluster'],
  cluster: ['exported_project_id', 'exported_location', 'cluster_name'],
  recordsGoogleNames: false,
};
