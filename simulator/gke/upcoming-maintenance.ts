/** What the annotation node.gke.io/upcoming-maintenance says. Instants are Unix milliseconds, whole seconds. */
export interface UpcomingMaintenance {
  readonly canReschedule: boolean;
  readonly windowStart: number;
  readonly latestWindowStart: number;
  readonly windowEnd: number;
  readonly reasons: readonly string[];
  readonly status: 'PENDING' | 'ONGOING';
  readonly type: string;
}

/** The text of the annotation, in the shape observed on GKE 1.35: booleans as text, offsets as `+00:00`, sorted keys. */
export function upcomingMaintenanceText(maintenance: UpcomingMaintenance): string {
  const { windowStart, windowEnd } = maintenance;
  return JSON.stringify({
    can_reschedule: String(maintenance.canReschedule),
    latest_window_start_time: instantText(maintenance.latestWindowStart),
    maintenance_reason: maintenance.reasons,
    maintenance_status: maintenance.status,
    start_time_window: { earliest: instantText(windowStart), latest: instantText(windowEnd) },
    type: maintenance.type,
    window_end_time: instantText(windowEnd),
    window_start_time: instantText(windowStart),
  });
}

function instantText(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}+00:00`;
}
