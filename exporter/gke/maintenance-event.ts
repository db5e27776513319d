import * as v from 'valibot';

/** What GKE's Events tell of a node's maintenance: the label `event`. */
type MaintenanceEventKind =
  | 'scheduled'
  | 'rescheduled'
  | 'started'
  | 'cancelled'
  | 'cleared'
  | 'terminating'
  | 'requested'
  | 'evicted';

/** Reasons that GKE 1.35 and later write, then those before. Source: GKE documentation, maintenance events. */
const KINDS: ReadonlyMap<string, MaintenanceEventKind> = new Map([
  ['MaintenanceWindowScheduled', 'scheduled'],
  ['MaintenanceWindowRescheduled', 'rescheduled'],
  ['MaintenanceWindowStarted', 'started'],
  ['MaintenanceWindowCancelled', 'cancelled'],
  ['MaintenanceWindowCleared', 'cleared'],
  ['TerminateOnHostMaintenance', 'terminating'],
  ['CustomerTriggeredMaintenance', 'requested'],
  ['PodEvictionComplete', 'evicted'],
  ['NodeMaintenanceScheduled', 'scheduled'],
  ['MaintenanceStarted', 'started'],
  ['NoPendingMaintenance', 'cleared'],
]);

/** An Event about a node's maintenance. */
export interface MaintenanceEvent {
  readonly node: string;
  /** Of the node, where the Event has it: some components write the name there. */
  readonly nodeUid: string | undefined;
  /** Trailing Events may lack it. */
  readonly nodePool: string | undefined;
  readonly kind: MaintenanceEventKind;
  /** When it was last seen, in Unix seconds. */
  readonly timestamp: number;
}

/** An Event that is about something else. */
export const OTHER_EVENT = 'other event';

const POOL_NAME = 'maintenance.gke.io/nodepool-name';

const TIME = v.nullish(
  v.pipe(
    v.string(),
    v.transform((text) => Date.parse(text) / 1000),
    v.finite(),
  ),
);
const EVENT = v.object({
  metadata: v.object({
    annotations: v.nullish(v.record(v.string(), v.string()), {}),
    creationTimestamp: TIME,
  }),
  involvedObject: v.object({
    kind: v.literal('Node'),
    name: v.pipe(v.string(), v.nonEmpty()),
    uid: v.nullish(v.string()),
  }),
  eventTime: TIME,
  firstTimestamp: TIME,
  lastTimestamp: TIME,
  series: v.nullish(v.object({ lastObservedTime: TIME })),
});
const REASON = v.object({ reason: v.string() });
const UID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u;

/** Reads an Event (core/v1). Throws when it is about maintenance and cannot be read. */
export function parseMaintenanceEvent(object: unknown): MaintenanceEvent | typeof OTHER_EVENT {
  const reason = v.safeParse(REASON, object);
  const kind = reason.success ? KINDS.get(reason.output.reason) : undefined;
  if (kind === undefined) return OTHER_EVENT;
  const { metadata, involvedObject, series, lastTimestamp, eventTime, firstTimestamp } = v.parse(
    EVENT,
    object,
  );
  const timestamp =
    series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp;
  if (timestamp === null || timestamp === undefined) throw new Error('the Event has no time');
  const { name, uid } = involvedObject;
  return {
    node: name,
    nodeUid: uid !== null && uid !== undefined && UID.test(uid) ? uid : undefined,
    nodePool: metadata.annotations[POOL_NAME],
    kind,
    timestamp,
  };
}
