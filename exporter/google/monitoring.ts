import { MetricServiceClient } from '@google-cloud/monitoring';
import { credentials } from '@grpc/grpc-js';
import type { Telemetry } from '../metrics/telemetry.ts';
import { codeName, GoogleError, googleError } from './google-error.ts';
import { recordRequest } from './request-telemetry.ts';
import { readPage, type TimeSeries, type TimeSeriesPage } from './time-series.ts';

const API = 'monitoring';
const METHOD = 'ListTimeSeries';
const NEEDS = { service: 'monitoring.googleapis.com', role: 'roles/monitoring.viewer' } as const;

/** Points a page. The API gives up to 100,000, whose objects would need a hundred megabytes for a moment. */
const PAGE_SIZE = 10_000;
/** A chain of pages that is longer never ends: these would be five million points. */
const MOST_PAGES = 500;
const REQUEST_TIMEOUT = 60_000;
const LIST_TIMEOUT = 300_000;
/** Kinds of trouble of one answer that are told. */
const MOST_TOLD = 20;

/** What a list of time series brought. */
export interface TimeSeriesList {
  readonly series: readonly TimeSeries[];
  /** Why the answer lacks some series; empty when it is complete. */
  readonly executionErrors: readonly string[];
  /** What is wrong with series or points that could not be read. */
  readonly unreadable: readonly string[];
}

export interface TimeSeriesQuery {
  readonly projectId: string;
  readonly filter: string;
  /** Unix milliseconds; points that end after `start` and not after `end`. */
  readonly start: number;
  readonly end: number;
}

export interface MonitoringOptions {
  /** `host:port`, or `http://host:port` for plaintext; undefined: Google's, by the universe domain. */
  readonly endpoint: string | undefined;
  readonly universeDomain: string;
  readonly telemetry: Telemetry;
}

/** Reads Cloud Monitoring (API v3, gRPC), page by page: the client's own pagination loses `executionErrors`. */
export class Monitoring {
  /** What is read. */
  readonly endpoint: string;
  readonly #client: MetricServiceClient;
  readonly #telemetry: Telemetry;
  readonly #closed = Promise.withResolvers<never>();

  constructor({ endpoint, universeDomain, telemetry }: MonitoringOptions) {
    this.#client = new MetricServiceClient(clientOptions(endpoint, universeDomain));
    this.endpoint = endpoint ?? this.#client.apiEndpoint;
    this.#telemetry = telemetry;
    this.#closed.promise.catch(() => undefined);
  }

  /** Reads all pages. Throws a GoogleError that says what to do. */
  async list(query: TimeSeriesQuery): Promise<TimeSeriesList> {
    const { projectId } = query;
    const deadline = performance.now() + LIST_TIMEOUT;
    const series: TimeSeries[] = [];
    const executionErrors: string[] = [];
    const unreadable = new Set<string>();
    let pageToken = '';
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const page = await this.#page(query, pageToken);
      for (const each of page.timeSeries) series.push(each);
      executionErrors.push(...page.executionErrors.slice(0, MOST_TOLD - executionErrors.length));
      for (const each of page.unreadable) if (unreadable.size < MOST_TOLD) unreadable.add(each);
      if (page.nextPageToken === '')
        return this.#complete(projectId, { series, executionErrors, unreadable });
      if (performance.now() > deadline) throw endless(projectId, 'timeout', `${LIST_TIMEOUT / 1000} seconds`);
      pageToken = page.nextPageToken;
    }
    throw endless(projectId, 'invalid_answer', `${MOST_PAGES} pages`);
  }

  /** Requests under way fail at once. */
  async close(): Promise<void> {
    // The library has no way to cancel a request, and gRPC lets one that was sent go on.
    this.#closed.reject(new GoogleError('the client was closed', { reason: 'connection' }));
    await this.#client.close();
  }

  #complete(
    projectId: string,
    { series, executionErrors, unreadable }: Omit<TimeSeriesList, 'unreadable'> & { unreadable: Set<string> },
  ): TimeSeriesList {
    if (executionErrors.length > 0)
      this.#telemetry.increment('gke_disruption_monitoring_partial_responses_total', {
        project_id: projectId,
      });
    return { series, executionErrors, unreadable: [...unreadable] };
  }

  async #page(query: TimeSeriesQuery, pageToken: string): Promise<TimeSeriesPage> {
    const { projectId } = query;
    const page = await this.#measure(() => this.#request(query, pageToken), projectId);
    this.#telemetry.increment(
      'gke_disruption_monitoring_time_series_read_total',
      { project_id: projectId },
      page.timeSeries.length,
    );
    return page;
  }

  async #request({ projectId, filter, start, end }: TimeSeriesQuery, pageToken: string): Promise<unknown> {
    const [, , answer] = await this.#client.listTimeSeries(
      {
        name: `projects/${projectId}`,
        filter,
        interval: { startTime: timestamp(start), endTime: timestamp(end) },
        pageSize: PAGE_SIZE,
        pageToken,
      },
      // Failures are counted and retried by the collector, which a second retry below it would hide.
      { autoPaginate: false, timeout: REQUEST_TIMEOUT, retry: { retryCodes: [] } },
    );
    return answer;
  }

  async #measure(request: () => Promise<unknown>, projectId: string): Promise<TimeSeriesPage> {
    const started = performance.now();
    let code = 'OK';
    try {
      const answer = await Promise.race([request(), this.#closed.promise]).catch((error: unknown) => {
        code = codeName(error);
        throw googleError(error, projectId, NEEDS);
      });
      return readAnswer(answer, projectId);
    } finally {
      recordRequest(this.#telemetry, { api: API, method: METHOD, code }, started);
    }
  }
}

function readAnswer(answer: unknown, projectId: string): TimeSeriesPage {
  try {
    return readPage(answer);
  } catch (cause) {
    throw new GoogleError(`project ${projectId}: the answer cannot be read`, {
      reason: 'invalid_answer',
      cause,
    });
  }
}

function endless(projectId: string, reason: 'timeout' | 'invalid_answer', limit: string): GoogleError {
  return new GoogleError(`project ${projectId}: no end of the answer after ${limit}`, { reason });
}

function timestamp(milliseconds: number): { seconds: number; nanos: number } {
  const seconds = Math.floor(milliseconds / 1000);
  return { seconds, nanos: Math.round(milliseconds - seconds * 1000) * 1e6 };
}

function clientOptions(endpoint: string | undefined, universeDomain: string) {
  if (endpoint === undefined) return { universeDomain };
  const isPlaintext = endpoint.startsWith('http://');
  const { hostname, port } = new URL(isPlaintext ? endpoint : `https://${endpoint}`);
  return {
    universeDomain,
    apiEndpoint: hostname,
    ...(port === '' ? {} : { port: Number(port) }),
    // Without credentials none must be looked for: outside Google Cloud that takes seconds.
    ...(isPlaintext ? { sslCreds: credentials.createInsecure(), clientOptions: { universeDomain } } : {}),
  };
}
