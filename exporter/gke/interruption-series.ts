/**
 * The interruptions of one time series that are known, each point once: however often and in whatever order it is read, a
 * point is identified by its end time. Arrays of numbers, so that 100,000 points take about 1.6 MB.
 */
export class InterruptionSeries {
  /** Unix milliseconds, ascending. */
  #endTimes: number[] = [];
  /** How many interruptions up to the point with the same index, and since before the first. */
  #totals: number[] = [];
  /** Counts by end time that were added since the arrays were made. */
  #added: Map<number, number> | undefined;
  #length = 0;

  /**
   * Adds a point. Returns false when it brings nothing new. Of two values for one end time the greater stands: a count must
   * never fall, and a sample that is written again is written with more.
   */
  add(endTime: number, count: number): boolean {
    const known = Math.max(this.#countAt(endTime), this.#added?.get(endTime) ?? 0);
    if (count <= known) return false;
    if (known === 0) this.#length += 1;
    this.#added ??= new Map();
    this.#added.set(endTime, count);
    return true;
  }

  /** How many points are known. */
  get length(): number {
    return this.#length;
  }

  /** The end time of the newest point; undefined when there is none. */
  get last(): number | undefined {
    this.#merge();
    return this.#endTimes.at(-1);
  }

  /** Interruptions with an end time after `from`, and not after `to`. */
  count(from: number, to: number): number {
    this.#merge();
    return this.#totalBefore(this.#indexAfter(to)) - this.#totalBefore(this.#indexAfter(from));
  }

  /** The first end time after an instant; undefined when there is none. */
  firstAfter(instant: number): number | undefined {
    this.#merge();
    return this.#endTimes[this.#indexAfter(instant)];
  }

  /** Forgets what ended at an instant or before. */
  forget(upTo: number): void {
    this.#merge();
    const index = this.#indexAfter(upTo);
    if (index === 0) return;
    const forgotten = this.#totalBefore(index);
    this.#length -= index;
    this.#endTimes = this.#endTimes.slice(index);
    this.#totals = this.#totals.slice(index).map((total) => total - forgotten);
  }

  /** Points may come newest first, a hundred thousand at once: they are put in order once, before the next question. */
  #merge(): void {
    if (this.#added === undefined) return;
    const counts = new Map(this.#endTimes.map((endTime) => [endTime, this.#countAt(endTime)]));
    for (const [endTime, count] of this.#added) counts.set(endTime, count);
    this.#added = undefined;
    this.#endTimes = [...counts.keys()].sort((a, b) => a - b);
    let total = 0;
    this.#totals = this.#endTimes.map((endTime) => {
      total += counts.get(endTime) ?? 0;
      return total;
    });
  }

  #countAt(endTime: number): number {
    const after = this.#indexAfter(endTime);
    if (after === 0 || this.#endTimes[after - 1] !== endTime) return 0;
    return this.#totalBefore(after) - this.#totalBefore(after - 1);
  }

  /** Interruptions of the points before an index. */
  #totalBefore(index: number): number {
    return this.#totals[index - 1] ?? 0;
  }

  /** Index of the first point that ended after an instant; the length when there is none. */
  #indexAfter(instant: number): number {
    let low = 0;
    let high = this.#endTimes.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#endTimes[middle] ?? Number.POSITIVE_INFINITY) <= instant) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
