/** What other sources must know of a node. */
export interface DirectoryEntry {
  readonly name: string;
  readonly uid: string;
  readonly nodePool: string;
}

/**
 * Which nodes exist: kept by the nodes collector, for sources that name a node and do not say whether it is still there. The
 * one place where collectors meet.
 */
export class NodeDirectory {
  readonly #byUid = new Map<string, DirectoryEntry>();
  readonly #byName = new Map<string, DirectoryEntry>();
  readonly #listeners = new Set<(name: string) => void>();
  #isComplete = false;

  /** Whether all nodes have been listed: before, a node that is not in here may exist. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  get(name: string): DirectoryEntry | undefined {
    return this.#byName.get(name);
  }

  set(entry: DirectoryEntry): void {
    const known = this.#byUid.get(entry.uid);
    if (known?.name === entry.name && known.nodePool === entry.nodePool) return;
    this.#byUid.set(entry.uid, entry);
    this.#byName.set(entry.name, entry);
    this.#changed(entry.name);
  }

  delete(uid: string): void {
    const entry = this.#byUid.get(uid);
    if (entry === undefined) return;
    this.#byUid.delete(uid);
    // Its successor may be known already.
    if (this.#byName.get(entry.name)?.uid !== uid) return;
    this.#byName.delete(entry.name);
    this.#changed(entry.name);
  }

  /** All nodes have been listed. */
  complete(): void {
    if (this.#isComplete) return;
    this.#isComplete = true;
    for (const listener of this.#listeners) listener('');
  }

  /** Nothing is known any more. */
  clear(): void {
    this.#byUid.clear();
    this.#byName.clear();
    this.#isComplete = false;
  }

  /** Calls back with the name of a node that came, went or changed; with an empty one when all may have. Returns the end of it. */
  listen(listener: (name: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(name: string): void {
    if (!this.#isComplete) return;
    for (const listener of this.#listeners) listener(name);
  }
}
