import { exporterSeries, type Firing, type Series, type Values } from './promtool.ts';

/** From one minute to another, exclusive. */
export function between(from: number, until: number, value: number | Values = 1): Values {
  return (minute) => {
    if (minute < from || minute >= until) return undefined;
    return typeof value === 'number' ? value : value(minute);
  };
}

export const constant =
  (value: number): Values =>
  () =>
    value;

/**
 * How long what ended goes on, since a hole in the data must change nothing: the last of five minutes' samples is half a
 * minute old when it is first used.
 */
export const BRIDGED = 4;

interface Pool {
  readonly pool?: string;
  readonly nodes?: number;
  readonly accelerator?: string;
  readonly provisioning?: string;
  readonly notice?: string;
}

/** A pool of nodes that are well, in a cluster whose exporter works. */
export function cluster({
  pool = 'a4',
  nodes = 4,
  accelerator = 'nvidia-b200',
  provisioning = 'standard',
  notice = 'supported',
}: Pool = {}): Series {
  const infos = Array.from({ length: nodes }, (_, index) => [
    `gke_node_info{node="${pool}-${index + 1}", node_pool="${pool}", accelerator="${accelerator}", provisioning="${provisioning}", live_migration="unsupported", maintenance_notice="${notice}"}`,
    constant(1),
  ]);
  return {
    ...exporterSeries(),
    [`gke_node_pool_nodes{node_pool="${pool}"}`]: constant(nodes),
    ...Object.fromEntries(infos),
  };
}

interface MaintenanceRecord {
  readonly from: number;
  readonly until: number;
  /** Minutes; may depend on the minute, when it is moved. */
  readonly start: number | Values;
  /** Minutes. Default: four hours after the start. */
  readonly end?: number;
  readonly source?: string;
  readonly canReschedule?: number;
  /** When the status changes from PENDING to ONGOING; default: never. */
  readonly begins?: number;
  /** When the node is not Ready. */
  readonly down?: readonly [from: number, until: number];
  readonly pool?: string;
}

/** A record of maintenance of a node, as the exporter tells it. */
export function record(
  node: number,
  { from, until, start, begins = Number.POSITIVE_INFINITY, down, pool = 'a4', ...rest }: MaintenanceRecord,
): Series {
  const { source = 'annotation', canReschedule = 1, end } = rest;
  const n = `node="${pool}-${node}", node_pool="${pool}"`;
  const s = `${n}, source="${source}"`;
  const startAt: Values = (minute) => (typeof start === 'number' ? start : start(minute));
  const isDown = (minute: number): boolean => down !== undefined && minute >= down[0] && minute < down[1];
  return {
    [`gke_node_maintenance_window_start_timestamp_seconds{${s}}`]: between(
      from,
      until,
      (minute) => (startAt(minute) ?? 0) * 60,
    ),
    [`gke_node_maintenance_window_end_timestamp_seconds{${s}}`]: between(
      from,
      until,
      (minute) => (end ?? (startAt(minute) ?? 0) + 240) * 60,
    ),
    [`gke_node_maintenance_can_reschedule{${s}}`]: between(from, until, canReschedule),
    [`gke_node_maintenance_status{${s}, status="PENDING"}`]: between(from, until, (minute) =>
      minute < begins ? 1 : 0,
    ),
    [`gke_node_maintenance_status{${s}, status="ONGOING"}`]: between(from, until, (minute) =>
      minute < begins ? 0 : 1,
    ),
    [`gke_disrupted_node_ready{${n}}`]: between(from, until, (minute) => (isDown(minute) ? 0 : 1)),
  };
}

/** An alert by name and severity, without the first part that all names share; from one minute to another, exclusive. */
export function firing(
  what: string,
  [from, until]: readonly [number, number],
  labels: Firing['labels'] = { node_pool: 'a4' },
): Firing {
  const [name = '', severity = ''] = what.split(' ');
  return { alert: `GKEDisruption${name}`, labels: { ...labels, severity }, from, until };
}

export const DAY = 1440;
