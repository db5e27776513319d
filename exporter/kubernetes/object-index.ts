import * as v from 'valibot';

/** Where objects are reported to. Must not throw. */
export interface ObjectSink<T> {
  /** An object is new or may have changed. */
  readonly upsert: (uid: string, object: T) => void;
  /** An object is gone. */
  readonly remove: (uid: string) => void;
  /** An object that could not be read was skipped. */
  readonly skipped: (error: Error) => void;
}

const IDENTIFIED = v.object({
  metadata: v.object({ uid: v.string(), name: v.string(), namespace: v.nullish(v.string(), '') }),
});

interface Identity {
  /** Namespace and name. */
  readonly key: string;
  readonly uid: string;
}

/**
 * Knows which objects were reported. An object made anew under its name has another uid and is another object. One that
 * cannot be read is skipped, and what was reported of it before is withdrawn: it is not known to be true any more.
 */
export class ObjectIndex<T> {
  readonly #parse: (object: unknown) => T;
  readonly #sink: ObjectSink<T>;
  readonly #uids = new Map<string, string>();

  constructor(parse: (object: unknown) => T, sink: ObjectSink<T>) {
    this.#parse = parse;
    this.#sink = sink;
  }

  /** Reports an object and gives its uid, or undefined when it was skipped. */
  upsert(object: unknown): string | undefined {
    const identity = this.#identify(object);
    if (identity === undefined) return undefined;
    const { key, uid } = identity;
    const parsed = this.#tryParse(object);
    if (parsed === undefined || this.#uids.get(key) !== uid) this.#remove(key);
    if (parsed === undefined) return undefined;
    this.#uids.set(key, uid);
    this.#sink.upsert(uid, parsed);
    return uid;
  }

  /** The end of an object may be told after the beginning of its successor, which it does not concern. */
  delete(object: unknown): void {
    const identity = this.#identify(object);
    if (identity !== undefined && this.#uids.get(identity.key) === identity.uid) this.#remove(identity.key);
  }

  /** Removes every object whose uid is not among those listed. */
  removeAllBut(listed: ReadonlySet<string>): void {
    for (const [key, uid] of this.#uids) {
      if (!listed.has(uid)) this.#remove(key);
    }
  }

  #remove(key: string): void {
    const uid = this.#uids.get(key);
    if (uid === undefined) return;
    this.#uids.delete(key);
    this.#sink.remove(uid);
  }

  #identify(object: unknown): Identity | undefined {
    const identified = v.safeParse(IDENTIFIED, object);
    if (identified.success) {
      const { namespace, name, uid } = identified.output.metadata;
      return { key: `${namespace}/${name}`, uid };
    }
    this.#sink.skipped(new v.ValiError(identified.issues));
    return undefined;
  }

  #tryParse(object: unknown): T | undefined {
    try {
      return this.#parse(object);
    } catch (error) {
      this.#sink.skipped(error as Error);
      return undefined;
    }
  }
}
