import type { KubernetesObject } from './object.ts';
import type { Resource } from './resource.ts';

export type StoreEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** One change of one object. */
export interface StoreEvent<T extends KubernetesObject = KubernetesObject> {
  readonly revision: number;
  readonly type: StoreEventType;
  readonly resource: Resource<T>;
  /** After the change; of a deletion, the last state under the deletion's revision. */
  readonly object: T;
  /** Before the change; undefined when the object is new. */
  readonly previous: T | undefined;
}

/** The latest changes in their order. It forgets the oldest when it is full, which is a compaction as well. */
export class EventHistory {
  #events: StoreEvent[] = [];
  readonly #length: number;
  #compactedRevision: number;

  constructor(length: number, compactedRevision: number) {
    this.#length = length;
    this.#compactedRevision = compactedRevision;
  }

  get compactedRevision(): number {
    return this.#compactedRevision;
  }

  add(event: StoreEvent): void {
    this.#events.push(event);
    // Cut rarely, so that adding stays cheap.
    const tooMany = this.#events.length - 2 * this.#length;
    const newestToForget = this.#events.at(-(this.#length + 1));
    if (tooMany > 0 && newestToForget !== undefined) this.compact(newestToForget.revision);
  }

  /** Changes after a revision that is not compacted. */
  since(revision: number): StoreEvent[] {
    return this.#events.slice(this.#firstAfter(revision));
  }

  compact(revision: number): void {
    if (revision <= this.#compactedRevision) return;
    this.#events = this.since(revision);
    this.#compactedRevision = revision;
  }

  #firstAfter(revision: number): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#events[middle]?.revision ?? Number.POSITIVE_INFINITY) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
