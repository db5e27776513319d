import { parse } from 'yaml';
import { formatDuration } from '../../exporter/config/duration.ts';
import { isJsonObject } from '../kubernetes/object.ts';
import { CONFIG_MAPS, type Node } from '../kubernetes/resource.ts';
import { type ControlPlane, setAnnotation, setLabel } from './control-plane.ts';
import { addTaint, becomeNotReady, becomeReady, becomeUnreachable, removeTaint } from './node-condition.ts';
import {
  ACTIVE_NODE_MAINTENANCE,
  DISRUPTION_HANDLING,
  IMPENDING_NODE_TERMINATION,
  MAINTENANCE_EXPERIENCE,
  MAINTENANCE_WINDOW_STARTED,
  PERFORM_MAINTENANCE,
  SCHEDULED_MAINTENANCE_TIME,
  UPCOMING_MAINTENANCE,
} from './node-signal.ts';
import { TIMING, within } from './timing.ts';
import { type UpcomingMaintenance, upcomingMaintenanceText } from './upcoming-maintenance.ts';

/** Durations are milliseconds of GKE's time. */
export interface MaintenanceParameters {
  readonly startsIn: number;
  /** Default: as observed. */
  readonly windowLasts?: number | undefined;
  /** Default: a planned update. */
  readonly reasons?: readonly string[] | undefined;
  /** Default true. */
  readonly canReschedule?: boolean | undefined;
  /** Default: SCHEDULED for planned reasons, UNSCHEDULED for failures. */
  readonly type?: string | undefined;
  /** Default: both. */
  readonly announcedBy?: 'both' | 'label' | 'annotation' | undefined;
  /** How long the node is down; default: as observed. */
  readonly repairTakes?: number | undefined;
  /** How long record and labels stay after the window's taint is gone; default: as observed. */
  readonly clearsAfter?: number | undefined;
}

/** One host maintenance of one node, or of all nodes of a slice, from its announcement to its end. */
export class HostMaintenance {
  readonly nodes: readonly string[];
  /** What differs between maintenances but not between nodes that act together is derived from this. */
  readonly #seed: string;
  readonly #gke: ControlPlane;
  readonly #parameters: MaintenanceParameters;
  readonly #begin = Promise.withResolvers<'window' | 'operator' | 'cancelled'>();
  #state: 'pending' | 'begun' | 'over' = 'pending';
  #record: UpcomingMaintenance;
  /** The nodes as they were; one that is deleted takes its maintenance along. */
  readonly #uids: ReadonlyMap<string, string | undefined>;

  constructor(gke: ControlPlane, nodes: readonly string[], parameters: MaintenanceParameters) {
    this.nodes = nodes;
    this.#gke = gke;
    this.#parameters = parameters;
    this.#seed = nodes.join();
    this.#uids = new Map(nodes.map((name) => [name, gke.node(name)?.metadata.uid]));
    this.#record = pendingRecord(gke, parameters);
  }

  get over(): boolean {
    return this.#state === 'over';
  }

  /** Announces it and goes through with it. Resolves when record and labels are gone; rejects when the clock stops. */
  async run(): Promise<void> {
    this.#announce();
    this.requestedByLabel();
    void this.#gke.clock.until(this.#record.windowStart).then(
      () => this.#begin.resolve('window'),
      () => this.#begin.resolve('cancelled'),
    );
    const why = await this.#begin.promise;
    if (why === 'cancelled') return;
    this.#state = 'begun';
    if (this.#there().length > 0) await this.#perform();
    this.#state = 'over';
  }

  /** Looks whether the operator has asked for maintenance now. Without can_reschedule the label has no effect. */
  requestedByLabel(): void {
    if (this.#state !== 'pending') return;
    const asked = this.#there().filter(
      (name) => this.#gke.node(name)?.metadata.labels?.[PERFORM_MAINTENANCE] === 'true',
    );
    const [first] = asked;
    if (first === undefined) return;
    if (!this.#record.canReschedule) {
      this.#gke.tell(
        first,
        'request ignored',
        'This maintenance cannot be rescheduled: can_reschedule is false.',
      );
      return;
    }
    this.#state = 'begun';
    for (const name of asked) {
      this.#gke.tell(name, 'maintenance requested', 'The operator asks for maintenance now.');
      this.#event(name, 'CustomerTriggeredMaintenance', 'Maintenance was requested by label.');
    }
    this.#begin.resolve('operator');
  }

  /** Takes the announcement back, if it has not begun. */
  cancel(): void {
    if (this.#state !== 'pending') return;
    this.#state = 'over';
    this.#each((node) => clearSignals(node));
    for (const name of this.#there()) {
      this.#gke.tell(name, 'maintenance cancelled');
      this.#event(name, 'MaintenanceWindowCancelled', 'Maintenance was cancelled.');
    }
    this.#begin.resolve('cancelled');
  }

  #announce(): void {
    const { announcedBy } = this.#parameters;
    const { windowStart } = this.#record;
    this.#each((node) => {
      if (announcedBy !== 'annotation')
        setLabel(node, SCHEDULED_MAINTENANCE_TIME, String(windowStart / 1000));
      if (announcedBy !== 'label')
        setAnnotation(node, UPCOMING_MAINTENANCE, upcomingMaintenanceText(this.#record));
    });
    this.#tell(
      'maintenance scheduled',
      `${this.#record.reasons.join(', ')}; the window opens at ${clockTime(windowStart)}.`,
    );
    for (const name of this.#there())
      this.#event(name, 'MaintenanceWindowScheduled', 'Maintenance is scheduled.');
  }

  async #perform(): Promise<void> {
    const { clock } = this.#gke;
    await clock.pass(within(TIMING.reaction, this.#seed));
    const graceful = gracefulTermination(this.#gke);
    this.#start(graceful);
    await clock.pass(TIMING.windowTaint);
    this.#each((node) => addTaint(node, { key: MAINTENANCE_WINDOW_STARTED, effect: 'PreferNoSchedule' }));
    this.#tell('window taint set');
    await this.#waitForShutdown(graceful);
    await this.#goDownAndReturn();
    await clock.pass(within(TIMING.windowTaintRemoved, this.#seed));
    this.#each((node) => removeTaint(node, MAINTENANCE_WINDOW_STARTED));
    this.#tell('window taint removed');
    await clock.pass(this.#parameters.clearsAfter ?? TIMING.cleared);
    for (const name of this.#there()) this.#event(name, 'MaintenanceWindowCleared', 'Maintenance is over.');
    this.#each((node) => clearSignals(node));
    this.#tell('maintenance cleared');
  }

  /** The window opens: it is anchored anew to now, and the operator's request is used up. */
  #start(graceful: boolean): void {
    const { clock } = this.#gke;
    const latestWindowStart = Math.floor(Date.now() / 1000) * 1000;
    this.#record = {
      ...this.#record,
      canReschedule: false,
      latestWindowStart,
      windowStart: clock.announceable(TIMING.windowStart),
      windowEnd: clock.announceable(TIMING.windowLength - 1000),
      status: 'ONGOING',
      type: 'SCHEDULED',
    };
    this.#each((node) => {
      setLabel(node, SCHEDULED_MAINTENANCE_TIME, undefined);
      setLabel(node, PERFORM_MAINTENANCE, undefined);
      setLabel(node, ACTIVE_NODE_MAINTENANCE, graceful ? 'ONGOING' : 'passthrough');
      if (this.#parameters.announcedBy !== 'label') {
        setAnnotation(node, UPCOMING_MAINTENANCE, upcomingMaintenanceText(this.#record));
      }
    });
    this.#tell('maintenance started', 'The node still works.');
    for (const name of this.#there())
      this.#event(name, 'MaintenanceWindowStarted', 'The maintenance window has started.');
  }

  async #waitForShutdown(graceful: boolean): Promise<void> {
    const { clock } = this.#gke;
    if (!graceful) {
      await clock.pass(TIMING.nodeDown);
      return;
    }
    await clock.pass(TIMING.terminating);
    this.#each((node) => {
      setLabel(node, ACTIVE_NODE_MAINTENANCE, 'terminating');
      addTaint(node, { key: IMPENDING_NODE_TERMINATION, effect: 'NoSchedule' });
    });
    this.#tell('node terminating', 'Its pods have been stopped.');
    for (const name of this.#there()) this.#event(name, 'PodEvictionComplete', 'All pods are evicted.');
    await clock.pass(TIMING.nodeDown - TIMING.terminating);
  }

  async #goDownAndReturn(): Promise<void> {
    const { clock } = this.#gke;
    const repairTakes = this.#parameters.repairTakes ?? TIMING.repair;
    for (const name of this.#there()) this.#event(name, 'TerminateOnHostMaintenance', 'The VM is stopped.');
    this.#each((node) => becomeNotReady(node, Date.now()));
    for (const name of this.#there()) {
      this.#gke.tell(name, 'node down', '', { type: 'MaintenanceEvent', reason: 'HW/SW Maintenance' });
    }
    await clock.pass(Math.min(TIMING.unreachable, repairTakes));
    this.#each((node) => becomeUnreachable(node, Date.now()));
    this.#tell('node unreachable');
    await clock.pass(Math.max(0, repairTakes - TIMING.unreachable));
    this.#each((node) => {
      becomeReady(node, Date.now());
      removeTaint(node, IMPENDING_NODE_TERMINATION);
    });
    this.#tell('node ready', `Down for ${formatDuration(repairTakes)} of the simulated time.`);
  }

  /** Those of its nodes that still are what they were. */
  #there(): string[] {
    return this.nodes.filter((name) => this.#gke.node(name)?.metadata.uid === this.#uids.get(name));
  }

  #each(change: (node: Node) => void): void {
    for (const name of this.#there()) this.#gke.change(name, change);
  }

  #tell(what: Parameters<ControlPlane['tell']>[1], detail = ''): void {
    for (const name of this.#there()) this.#gke.tell(name, what, detail);
  }

  #event(name: string, reason: Parameters<ControlPlane['event']>[1]['reason'], message: string): void {
    const { windowStart, windowEnd, type, status } = this.#record;
    this.#gke.event(name, { reason, message, windowStart, windowEnd, type, status });
  }
}

function pendingRecord(gke: ControlPlane, parameters: MaintenanceParameters): UpcomingMaintenance {
  const { startsIn, windowLasts = TIMING.windowLength, reasons = ['PLANNED_UPDATE'] } = parameters;
  const windowStart = gke.clock.announceable(startsIn);
  const planned = reasons.every((reason) => !reason.startsWith('FAILURE'));
  return {
    canReschedule: parameters.canReschedule ?? true,
    windowStart,
    latestWindowStart: windowStart + 1000,
    windowEnd: Math.max(gke.clock.announceable(startsIn + windowLasts), windowStart + 1000),
    reasons,
    status: 'PENDING',
    type: parameters.type ?? (planned ? 'SCHEDULED' : 'UNSCHEDULED'),
  };
}

function clearSignals(node: Node): void {
  setLabel(node, SCHEDULED_MAINTENANCE_TIME, undefined);
  setLabel(node, ACTIVE_NODE_MAINTENANCE, undefined);
  setAnnotation(node, UPCOMING_MAINTENANCE, undefined);
}

/** What the operator's ConfigMap says now; without one, off. */
function gracefulTermination({ store }: ControlPlane): boolean {
  const data = store.get(CONFIG_MAPS, DISRUPTION_HANDLING)?.data;
  const text = isJsonObject(data) ? data[MAINTENANCE_EXPERIENCE] : undefined;
  if (typeof text !== 'string') return false;
  try {
    const settings: unknown = parse(text);
    return isJsonObject(settings) && settings.gracefulTermination === true;
  } catch {
    return false;
  }
}

function clockTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(11, 19)}Z`;
}
