import * as v from 'valibot';

/** One time series of one page; a series can go on in the next. */
export interface TimeSeries {
  readonly metricLabels: Readonly<Record<string, string>>;
  readonly resourceLabels: Readonly<Record<string, string>>;
  /** `endTime` in Unix milliseconds. A boolean is 0 or 1. */
  readonly points: readonly { readonly endTime: number; readonly value: number }[];
}

/** One page of an answer to ListTimeSeries. */
export interface TimeSeriesPage {
  readonly timeSeries: readonly TimeSeries[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
  /** Why the answer lacks some series; empty when it is complete. */
  readonly executionErrors: readonly string[];
  /** What is wrong with series or points that are no such; each kind once. */
  readonly unreadable: readonly string[];
}

/** protobufjs gives int64 as text, a number, or its own Long. */
const INTEGER = v.pipe(
  v.union([
    v.string(),
    v.number(),
    v.custom<{ toString: () => string }>((value) => typeof value === 'object' && value !== null),
  ]),
  v.transform(String),
  v.regex(/^-?\d+$/u),
  v.transform(Number),
);
const LABELS = v.nullish(v.record(v.string(), v.string()), {});
const VALUE = v.union([
  v.pipe(
    v.object({ int64Value: INTEGER }),
    v.transform(({ int64Value }) => int64Value),
  ),
  v.pipe(
    v.object({ doubleValue: v.pipe(v.number(), v.finite()) }),
    v.transform(({ doubleValue }) => doubleValue),
  ),
  v.pipe(
    v.object({ boolValue: v.boolean() }),
    v.transform(({ boolValue }) => Number(boolValue)),
  ),
]);
const POINT = v.pipe(
  v.object({
    interval: v.object({ endTime: v.object({ seconds: INTEGER, nanos: v.nullish(v.number(), 0) }) }),
    value: VALUE,
  }),
  v.transform(({ interval: { endTime }, value }) => ({
    endTime: endTime.seconds * 1000 + Math.round(endTime.nanos / 1e6),
    value,
  })),
);
const SERIES = v.object({
  metric: v.object({ labels: LABELS }),
  resource: v.object({ labels: LABELS }),
  points: v.nullish(v.array(v.unknown()), []),
});
const PAGE = v.object({
  timeSeries: v.nullish(v.array(v.unknown()), []),
  nextPageToken: v.nullish(v.string(), ''),
  executionErrors: v.nullish(v.array(v.object({ message: v.nullish(v.string(), '') })), []),
});

const LONGEST_MESSAGE = 300;

/** Reads an answer to ListTimeSeries as protobufjs gives it. Throws when it is none. */
export function readPage(answer: unknown): TimeSeriesPage {
  const { timeSeries, nextPageToken, executionErrors } = v.parse(PAGE, answer);
  const unreadable = new Set<string>();
  return {
    timeSeries: timeSeries.flatMap((series) => readSeries(series, unreadable) ?? []),
    nextPageToken,
    executionErrors: executionErrors.map(({ message }) => message.slice(0, LONGEST_MESSAGE)),
    unreadable: [...unreadable],
  };
}

function readSeries(value: unknown, unreadable: Set<string>): TimeSeries | undefined {
  const parsed = v.safeParse(SERIES, value);
  if (!parsed.success) {
    unreadable.add(whatIsWrong(parsed.issues[0]));
    return undefined;
  }
  const { metric, resource, points } = parsed.output;
  const readable = points.flatMap((point) => {
    const read = v.safeParse(POINT, point);
    if (!read.success) unreadable.add(whatIsWrong(read.issues[0]));
    return read.success ? [read.output] : [];
  });
  return { metricLabels: metric.labels, resourceLabels: resource.labels, points: readable };
}

/** Where it is wrong and how, without the value: the same for every point of its kind. */
function whatIsWrong(issue: v.BaseIssue<unknown>): string {
  return `${v.getDotPath(issue) ?? 'series'}: expected ${issue.expected ?? 'something else'}`;
}
