/** What a time series is of, in the words of Cloud Monitoring. */
export interface SeriesIdentity {
  /** `kubernetes.io/node/interruption_count` */
  readonly metricType: string;
  readonly metricLabels: Readonly<Record<string, string>>;
  /** `k8s_node` */
  readonly resourceType: string;
  readonly resourceLabels: Readonly<Record<string, string>>;
}

/** A value of the API, one of its fields set. */
type TypedValue =
  | { readonly int64Value: number }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean };

export interface SeriesPoint {
  /** Unix milliseconds. */
  readonly endTime: number;
  readonly value: TypedValue;
  /** From when on it is in answers: its ingestion delay after its end. */
  readonly visibleAt: number;
}

/** A level that is sampled all the time, such as the status of a node pool. */
export interface SampledLevel {
  readonly value: TypedValue;
  readonly periodMs: number;
  readonly delayMs: number;
}

/** Which points are asked for: those that end after `start` and not after `end`, as they are visible `now`. */
export interface PointSelection {
  readonly start: number;
  readonly end: number;
  readonly now: number;
}

/** A series with the points that were asked for, the newest first, as the API gives them. */
export interface SelectedSeries {
  readonly identity: SeriesIdentity;
  readonly points: readonly SeriesPoint[];
}

/** The time series of Cloud Monitoring. Points are kept for ever. */
export class TimeSeriesStore {
  readonly #series = new Map<string, { identity: SeriesIdentity; points: SeriesPoint[] }>();
  readonly #levels = new Map<string, { identity: SeriesIdentity; level: SampledLevel }>();

  /** Writes a point; one that has the same end time is replaced. */
  write(identity: SeriesIdentity, point: SeriesPoint): void {
    const { points } = this.#seriesOf(identity);
    const known = points.findIndex(({ endTime }) => endTime === point.endTime);
    if (known === -1) points.push(point);
    else points[known] = point;
  }

  /** Adds a number to the point with this end time. */
  add(identity: SeriesIdentity, { endTime, visibleAt }: Omit<SeriesPoint, 'value'>, count: number): void {
    const known = this.#seriesOf(identity).points.find((point) => point.endTime === endTime);
    const before = known !== undefined && 'int64Value' in known.value ? known.value.int64Value : 0;
    this.write(identity, { endTime, visibleAt, value: { int64Value: before + count } });
  }

  /** From now on, and for all time before, there is a sample of this level in every period. */
  sample(identity: SeriesIdentity, level: SampledLevel): void {
    this.#levels.set(JSON.stringify(identity), { identity, level });
  }

  /** The samples of a level end, those before too. */
  forgetLevel(identity: SeriesIdentity): void {
    this.#levels.delete(JSON.stringify(identity));
  }

  /** The series that fit and have points, in the order in which they were first written. */
  select(fits: (identity: SeriesIdentity) => boolean, { start, end, now }: PointSelection): SelectedSeries[] {
    const written = [...this.#series.values()].filter(({ identity }) => fits(identity));
    const sampled = [...this.#levels.values()].filter(({ identity }) => fits(identity));
    return [
      ...written.map(({ identity, points }) => ({
        identity,
        points: points
          .filter(({ endTime, visibleAt }) => endTime > start && endTime <= end && visibleAt <= now)
          .sort((a, b) => b.endTime - a.endTime),
      })),
      ...sampled.map(({ identity, level }) => ({ identity, points: samplesOf(level, { start, end, now }) })),
    ].filter(({ points }) => points.length > 0);
  }

  #seriesOf(identity: SeriesIdentity): { identity: SeriesIdentity; points: SeriesPoint[] } {
    const key = JSON.stringify(identity);
    const known = this.#series.get(key) ?? { identity, points: [] };
    this.#series.set(key, known);
    return known;
  }
}

function samplesOf(
  { value, periodMs, delayMs }: SampledLevel,
  { start, end, now }: PointSelection,
): SeriesPoint[] {
  const points: SeriesPoint[] = [];
  const last = Math.floor(Math.min(end, now - delayMs) / periodMs);
  for (let index = last; index * periodMs > start; index -= 1) {
    const endTime = Math.floor(index * periodMs);
    points.push({ endTime, value, visibleAt: endTime + delayMs });
  }
  return points;
}
