/** What can go wrong with a request to Cloud Monitoring. */
export type MonitoringFault =
  /** A gRPC status, by its number: 7 is PERMISSION_DENIED. */
  | { readonly kind: 'status'; readonly code: number; readonly message: string }
  /** The answer comes this much later. */
  | { readonly kind: 'delay'; readonly milliseconds: number }
  /** No answer ever comes. */
  | { readonly kind: 'silence' }
  /** Only so many series are in the answer, and `executionErrors` says that more are missing. */
  | { readonly kind: 'partial'; readonly series: number }
  /** There is always a next page. */
  | { readonly kind: 'endless pages' }
  /** Every series is in the answer twice. */
  | { readonly kind: 'repeated series' }
  /** Points come oldest first, series last first. */
  | { readonly kind: 'other order' }
  /** Values come as double instead of int64. */
  | { readonly kind: 'doubles' };

export interface PlannedMonitoringFault {
  /** `node/interruption_count`, without it all. */
  readonly metric?: string;
  /** How many requests it meets, by default one. */
  readonly times?: number;
  readonly fault: MonitoringFault;
}

/** Errors on demand: a request meets all faults that are planned for it and not used up. */
export class MonitoringFaults {
  #planned: { readonly metric: string | undefined; readonly fault: MonitoringFault; left: number }[] = [];

  /** Plans a fault. Returns what cancels the rest of it. */
  add({ metric, fault, times = 1 }: PlannedMonitoringFault): () => void {
    const planned = { metric, fault, left: times };
    this.#planned.push(planned);
    return () => {
      planned.left = 0;
    };
  }

  /** Whether all that was planned is used up. */
  get isEmpty(): boolean {
    return this.#planned.length === 0;
  }

  clear(): void {
    this.#planned = [];
  }

  /** The faults that meet a request for a metric type, each used up by one. */
  take(metricType: string): MonitoringFault[] {
    const taken = this.#planned.filter(
      ({ metric, left }) => left > 0 && (metric === undefined || metricType.endsWith(`/${metric}`)),
    );
    for (const planned of taken) planned.left -= 1;
    this.#planned = this.#planned.filter(({ left }) => left > 0);
    return taken.map(({ fault }) => fault);
  }
}
