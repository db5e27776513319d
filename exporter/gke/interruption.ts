import { type InvalidValue, showValue } from './invalid-value.ts';

/** What an interruption is told of: a node, or the node pool that it belongs to. Cloud Monitoring counts both, apart. */
export type InterruptedKind = 'node' | 'node_pool';

/** A node or a node pool, of whichever cluster. */
export interface InterruptedResource {
  readonly kind: InterruptedKind;
  readonly projectId: string;
  readonly location: string;
  readonly clusterName: string;
  /** Of the node or of the node pool. */
  readonly name: string;
}

/** The metric labels of an interruption. Neither is ever derived from the other. */
export interface InterruptionCause {
  readonly type: string;
  readonly reason: string;
}

/** So many interruptions of a resource by one cause since the sample before. */
export interface InterruptionPoint {
  readonly resource: InterruptedResource;
  readonly cause: InterruptionCause;
  /** Unix milliseconds. */
  readonly endTime: number;
  readonly count: number;
}

/** One time series as Cloud Monitoring gives it. */
export interface InterruptionTimeSeries {
  readonly metricLabels: Readonly<Record<string, string>>;
  readonly resourceLabels: Readonly<Record<string, string>>;
  readonly points: readonly { readonly endTime: number; readonly value: number }[];
}

/** The values of `interruption_type` that Google documents. */
const TYPES = ['TerminationEvent', 'MaintenanceEvent', 'PreemptionEvent'] as const;

/** The values of `interruption_reason` that Google documents or has been seen to send. */
const REASONS = [
  'HostError',
  'AutoRepair',
  'HW/SW Maintenance',
  'Migrate on HW/SW Maintenance',
  'AutoUpgrade',
  'AutoResize',
  'Eviction',
  'Defragmentation',
  'Bare Metal Preemption',
  'Other',
] as const;

/** Every cause that is known beforehand: since a reason does not tell the type, each with each. */
export const KNOWN_CAUSES: readonly InterruptionCause[] = TYPES.flatMap((type) =>
  REASONS.map((reason) => ({ type, reason })),
);

/** What is longer than any name of a resource is none, though Cloud Monitoring lets a label have 1,024 characters. */
const LONGEST_LABEL = 256;
/** No resource is interrupted more often in the minute between two samples. */
const MOST_INTERRUPTIONS = 1_000_000;

/**
 * The points of one time series of `kubernetes.io/node/interruption_count` or `node_pool/interruption_count`. `now`: no point
 * ends later, in Unix milliseconds.
 */
export function readInterruptions(
  kind: InterruptedKind,
  series: InterruptionTimeSeries,
  now: number,
): { readonly points: readonly InterruptionPoint[]; readonly invalid: readonly InvalidValue[] } {
  const resource = readResource(kind, series.resourceLabels);
  const cause = readCause(series.metricLabels);
  if (resource === undefined || cause === undefined) {
    const value = showValue({ ...series.metricLabels, ...series.resourceLabels });
    return {
      points: [],
      invalid: [{ source: 'monitoring', field: `${kind}/interruption_count labels`, value }],
    };
  }
  const points: InterruptionPoint[] = [];
  const invalid: InvalidValue[] = [];
  for (const { endTime, value } of series.points) {
    const isCount = Number.isInteger(value) && value >= 0 && value <= MOST_INTERRUPTIONS;
    if (isCount && endTime <= now) points.push({ resource, cause, endTime, count: value });
    else
      invalid.push({
        source: 'monitoring',
        field: `${kind}/interruption_count point`,
        value: showValue({ endTime, value }),
      });
  }
  return { points, invalid };
}

/** The resource that a time series is about; undefined when a label is missing or is no name. */
export function readResource(
  kind: InterruptedKind,
  labels: Readonly<Record<string, string>>,
): InterruptedResource | undefined {
  const projectId = labelValue(labels, 'project_id');
  const location = labelValue(labels, 'location');
  const clusterName = labelValue(labels, 'cluster_name');
  const name = labelValue(labels, kind === 'node' ? 'node_name' : 'node_pool_name');
  if (projectId === undefined || location === undefined || clusterName === undefined || name === undefined)
    return undefined;
  return { kind, projectId, location, clusterName, name };
}

function readCause(labels: Readonly<Record<string, string>>): InterruptionCause | undefined {
  const type = labelValue(labels, 'interruption_type');
  const reason = labelValue(labels, 'interruption_reason');
  return type === undefined || reason === undefined ? undefined : { type, reason };
}

function labelValue(labels: Readonly<Record<string, string>>, name: string): string | undefined {
  const value = Object.hasOwn(labels, name) ? labels[name] : undefined;
  return value === undefined || value === '' || value.length > LONGEST_LABEL ? undefined : value;
}
