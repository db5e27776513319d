import { pipeline, type Readable } from 'node:stream';
import split2 from 'split2';
import * as v from 'valibot';
import { KubernetesError, reasonOfStatus, transportError } from './kubernetes-error.ts';

export const WATCH_EVENT_TYPES = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'] as const;
export type WatchEventType = (typeof WATCH_EVENT_TYPES)[number];

/** One event of a watch. The object of an ERROR is a Status. */
export interface WatchEvent {
  readonly type: WatchEventType;
  readonly object: unknown;
}

const EVENT = v.object({ type: v.picklist(WATCH_EVENT_TYPES), object: v.unknown() });
const STATUS = v.object({ code: v.number(), message: v.nullish(v.string(), '') });

/** Objects are at most 1.5 MB in etcd; their JSON is longer, but not by this much. */
const LONGEST_LINE_CHARACTERS = 4 * 1024 * 1024;

/**
 * Reads the events of a watch, one JSON document a line, until the server ends it in good order. Throws a KubernetesError
 * when the connection breaks or falls silent, and when a line is no event.
 */
export async function* readWatchEvents(body: Readable): AsyncGenerator<WatchEvent> {
  const lines = pipeline(body, split2({ maxLength: LONGEST_LINE_CHARACTERS }), () => {
    // The error reaches the loop below.
  });
  try {
    for await (const line of lines) {
      if (line !== '') yield parseEvent(String(line));
    }
  } catch (error) {
    throw isTooLong(error)
      ? new KubernetesError('a line of the watch is too long', { reason: 'invalid_answer', cause: error })
      : transportError(error);
  } finally {
    body.destroy();
  }
}

/** split2 has no other sign for it. */
function isTooLong(error: unknown): boolean {
  return error instanceof Error && error.message === 'maximum buffer reached';
}

function parseEvent(line: string): WatchEvent {
  try {
    return v.parse(EVENT, JSON.parse(line));
  } catch (cause) {
    throw new KubernetesError('a line of the watch is no event', { reason: 'invalid_answer', cause });
  }
}

/** The failure that an ERROR event tells of. */
export function watchError(status: unknown): KubernetesError {
  const parsed = v.safeParse(STATUS, status);
  if (!parsed.success)
    return new KubernetesError('an ERROR event without a Status', { reason: 'invalid_answer' });
  const { code, message } = parsed.output;
  return new KubernetesError(`${code}: ${message.slice(0, 300)}`, {
    reason: reasonOfStatus(code),
    status: code,
  });
}
