import * as v from 'valibot';
import { VERBS, type Verb } from './request-info.ts';
import type { OpenWatch } from './watch.ts';

const WHOLE = v.pipe(v.number(), v.integer(), v.minValue(0));
const CODE = v.pipe(v.number(), v.integer(), v.minValue(400), v.maxValue(599));

/** What goes wrong before a request is served, or instead. */
const ANSWER_FAULTS = [
  /** An error as the API server words it: a Status of this code. */
  v.strictObject({
    kind: v.literal('status'),
    code: CODE,
    reason: v.optional(v.string()),
    message: v.optional(v.string()),
    retryAfterSeconds: v.optional(WHOLE),
  }),
  /** The connection is cut, before anything was answered or in the middle. */
  v.strictObject({ kind: v.literal('reset'), when: v.picklist(['before answering', 'while answering']) }),
  /** The answer comes this much later. */
  v.strictObject({ kind: v.literal('delay'), milliseconds: WHOLE }),
  /** Answered with 200 and this text, whatever was asked for. */
  v.strictObject({ kind: v.literal('text'), text: v.string(), contentType: v.optional(v.string()) }),
  /** A list whose items have lost their metadata. */
  v.strictObject({ kind: v.literal('items without metadata') }),
] as const;

const AFTER_EVENTS = v.optional(WHOLE, 0);

/** What goes wrong in a watch that has begun, once it has sent so many events. */
const WATCH_FAULTS = [
  /** The connection stays open and nothing is sent any more, not even bookmarks or the time-out. */
  v.strictObject({ kind: v.literal('silence'), afterEvents: AFTER_EVENTS }),
  /** The connection is cut, or the answer ends as after a time-out. */
  v.strictObject({
    kind: v.literal('cut'),
    afterEvents: AFTER_EVENTS,
    cleanly: v.optional(v.boolean(), false),
  }),
  /** One line of other text, then the watch goes on. */
  v.strictObject({ kind: v.literal('line'), text: v.string(), afterEvents: AFTER_EVENTS }),
  /** The next event is cut in its middle, and the connection with it. */
  v.strictObject({ kind: v.literal('truncated line'), afterEvents: AFTER_EVENTS }),
  /** An ERROR event with a Status in the stream, which then ends. */
  v.strictObject({
    kind: v.literal('error event'),
    code: CODE,
    reason: v.optional(v.string()),
    message: v.optional(v.string()),
    afterEvents: AFTER_EVENTS,
  }),
  /** The next event's object has no metadata; then the watch goes on. */
  v.strictObject({ kind: v.literal('event without metadata'), afterEvents: AFTER_EVENTS }),
] as const;

const ANSWER_FAULT = v.variant('kind', ANSWER_FAULTS);
const WATCH_FAULT = v.variant('kind', WATCH_FAULTS);

/** A fault as tests and `POST /simulator/faults` give it. */
export const FAULT = v.strictObject({
  /** Which requests it meets; what is left out meets all. */
  match: v.optional(
    v.strictObject({
      verb: v.optional(v.picklist(VERBS)),
      /** `nodes`, `leases`. */
      resource: v.optional(v.string()),
      /** Page of a list, from 1. */
      page: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
      name: v.optional(v.string()),
    }),
    {},
  ),
  /** How many requests it meets, by default one. */
  times: v.optional(v.union([WHOLE, v.literal('always')]), 1),
  fault: v.union([ANSWER_FAULT, WATCH_FAULT]),
});

export type AnswerFault = v.InferOutput<typeof ANSWER_FAULT>;
export type WatchFault = v.InferOutput<typeof WATCH_FAULT>;
export type WatchFaultInput = v.InferInput<typeof WATCH_FAULT>;
export type FaultInput = v.InferInput<typeof FAULT>;

/** What a fault is matched against. */
export interface FaultTarget {
  readonly verb: Verb;
  readonly resource: string;
  readonly page: number | undefined;
  readonly name: string | undefined;
}

interface PlannedFault {
  readonly match: v.InferOutput<typeof FAULT>['match'];
  readonly fault: AnswerFault | WatchFault;
  left: number;
}

/** Errors on demand: each meets the next requests that it matches, in the order in which they were planned. */
export class Faults {
  readonly #planned: PlannedFault[] = [];
  readonly #openWatches: ReadonlySet<OpenWatch>;

  constructor(openWatches: ReadonlySet<OpenWatch>) {
    this.#openWatches = openWatches;
  }

  /** Plans a fault. Returns what cancels the rest of it. Throws a ValiError if it is none. */
  add(input: FaultInput): () => void {
    const { match, times, fault } = v.parse(FAULT, input);
    const planned: PlannedFault = {
      match,
      fault,
      left: times === 'always' ? Number.POSITIVE_INFINITY : times,
    };
    this.#planned.push(planned);
    return () => {
      planned.left = 0;
    };
  }

  /** Lets a fault befall the watches of a resource (`nodes`) that are open now. Returns how many. */
  strikeOpenWatches(resource: string, input: WatchFaultInput): number {
    const fault = v.parse(WATCH_FAULT, input);
    const struck = [...this.#openWatches].filter((watch) => watch.resource === resource);
    for (const watch of struck) watch.strike(fault);
    return struck.length;
  }

  /** Cancels all that is planned. */
  clear(): void {
    this.#planned.length = 0;
  }

  /** For the API server: the faults that meet this request, each used up by one. */
  take(target: FaultTarget): (AnswerFault | WatchFault)[] {
    const taken: (AnswerFault | WatchFault)[] = [];
    for (const planned of this.#planned) {
      if (planned.left < 1 || !matches(planned, target)) continue;
      planned.left -= 1;
      taken.push(planned.fault);
      // Delays add up with what follows; of all others one is enough for a request.
      if (planned.fault.kind !== 'delay') break;
    }
    return taken;
  }
}

function matches({ match, fault }: PlannedFault, target: FaultTarget): boolean {
  if (isWatchFault(fault) && target.verb !== 'watch') return false;
  return (
    (match.verb === undefined || match.verb === target.verb) &&
    (match.resource === undefined || match.resource === target.resource) &&
    (match.page === undefined || match.page === target.page) &&
    (match.name === undefined || match.name === target.name)
  );
}

export function isWatchFault(fault: AnswerFault | WatchFault): fault is WatchFault {
  return WATCH_FAULTS.some((schema) => schema.entries.kind.literal === fault.kind);
}
