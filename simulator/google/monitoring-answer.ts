import { status } from '@grpc/grpc-js';
import * as v from 'valibot';
import type { MonitoringFault } from './monitoring-fault.ts';
import { parseFilter } from './monitoring-filter.ts';
import type { SelectedSeries, SeriesPoint, TimeSeriesStore } from './time-series-store.ts';

const INSTANT = v.pipe(
  v.object({ seconds: v.pipe(v.union([v.string(), v.number()]), v.transform(Number)), nanos: v.number() }),
  v.transform(({ seconds, nanos }) => seconds * 1000 + nanos / 1e6),
);
const REQUEST = v.object({
  name: v.pipe(
    v.string(),
    v.regex(/^projects\/[^/]+$/u),
    v.transform((name) => name.slice('projects/'.length)),
  ),
  filter: v.string(),
  interval: v.object({ startTime: INSTANT, endTime: INSTANT }),
  pageSize: v.number(),
  pageToken: v.string(),
});
/** A page token: how many points were given, and the instant of the first page, whose points the others show. */
const TOKEN = v.object({ page: v.number(), offset: v.number(), now: v.number() });
type Token = v.InferOutput<typeof TOKEN>;

const LARGEST_PAGE = 100_000;

/** A request that is answered with a gRPC status. */
export class StatusError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** A ListTimeSeriesRequest, as protobufjs gives it. */
export type Query = v.InferOutput<typeof REQUEST>;

/** A ListTimeSeriesResponse, as protobufjs takes it. */
export interface Answer {
  readonly timeSeries: readonly object[];
  readonly nextPageToken: string;
  readonly executionErrors: readonly object[];
}

/** Throws a StatusError if it is no request. */
export function parseRequest(request: unknown): Query {
  const parsed = v.safeParse(REQUEST, request);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new StatusError(
    status.INVALID_ARGUMENT,
    `Field ${v.getDotPath(issue)} had an invalid value: ${issue.message}`,
  );
}

/** What the API answers, with faults that change the answer. Throws a FilterError or StatusError. */
export function answerOf(store: TimeSeriesStore, query: Query, faults: readonly MonitoringFault[]): Answer {
  const { interval, filter, pageSize } = query;
  const { page, offset, now } = parseToken(query.pageToken);
  const selection = { start: interval.startTime, end: interval.endTime, now };
  const isOurs = parseFilter(filter);
  const all = store.select(
    (identity) => identity.resourceLabels.project_id === query.name && isOurs(identity),
    selection,
  );
  const partial = faults.find(({ kind }) => kind === 'partial');
  const selected = reorder(partial?.kind === 'partial' ? all.slice(0, partial.series) : all, faults);
  const size = Math.min(pageSize > 0 ? pageSize : LARGEST_PAGE, LARGEST_PAGE);
  const next = { page: page + 1, offset: offset + size, now };
  const isLast = selected.reduce((sum, { points }) => sum + points.length, 0) <= offset + size;
  const isEndless = faults.some(({ kind }) => kind === 'endless pages');
  const asDouble = faults.some(({ kind }) => kind === 'doubles');
  return {
    timeSeries: pageOf(selected, offset, size).map((series) => timeSeries(series, asDouble)),
    nextPageToken: isLast && !isEndless ? '' : Buffer.from(JSON.stringify(next)).toString('base64url'),
    executionErrors:
      partial === undefined
        ? []
        : [{ code: status.UNAVAILABLE, message: 'Some time series could not be read.' }],
  };
}

function reorder(
  series: readonly SelectedSeries[],
  faults: readonly MonitoringFault[],
): readonly SelectedSeries[] {
  let ordered = series;
  for (const { kind } of faults) {
    if (kind === 'repeated series') ordered = [...ordered, ...ordered];
    if (kind === 'other order')
      ordered = ordered
        .toReversed()
        .map(({ identity, points }) => ({ identity, points: points.toReversed() }));
  }
  return ordered;
}

/** A page holds so many points; a series can go on in the next one. */
function pageOf(series: readonly SelectedSeries[], offset: number, size: number): SelectedSeries[] {
  const page: SelectedSeries[] = [];
  let first = 0;
  for (const { identity, points } of series) {
    const slice = points.slice(Math.max(0, offset - first), Math.max(0, offset + size - first));
    if (slice.length > 0) page.push({ identity, points: slice });
    first += points.length;
  }
  return page;
}

function timeSeries({ identity, points }: SelectedSeries, asDouble: boolean): object {
  return {
    metric: { type: identity.metricType, labels: identity.metricLabels },
    resource: { type: identity.resourceType, labels: identity.resourceLabels },
    metricKind: 'GAUGE',
    valueType: valueType(points, asDouble),
    points: points.map(({ endTime, value }) => ({
      interval: { startTime: instant(endTime), endTime: instant(endTime) },
      value: asDouble && 'int64Value' in value ? { doubleValue: value.int64Value } : value,
    })),
  };
}

function valueType(points: readonly SeriesPoint[], asDouble: boolean): string {
  if (points.some(({ value }) => 'boolValue' in value)) return 'BOOL';
  return asDouble ? 'DOUBLE' : 'INT64';
}

function instant(milliseconds: number): { seconds: number; nanos: number } {
  const seconds = Math.floor(milliseconds / 1000);
  return { seconds, nanos: Math.round((milliseconds - seconds * 1000) * 1e6) };
}

/** Where a page begins. Throws a StatusError if it is no token. */
export function parseToken(text: string): Token {
  if (text === '') return { page: 1, offset: 0, now: Date.now() };
  const parsed = v.safeParse(TOKEN, safeJson(Buffer.from(text, 'base64url').toString()));
  if (!parsed.success) throw new StatusError(status.INVALID_ARGUMENT, 'Invalid page token.');
  return parsed.output;
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
