import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MonitoringServer, startMonitoringServer } from '../../simulator/google/monitoring-server.ts';
import { TimeSeriesStore } from '../../simulator/google/time-series-store.ts';
import { Telemetry } from '../metrics/telemetry.ts';
import { GoogleError } from './google-error.ts';
import { Monitoring } from './monitoring.ts';

const METRIC = 'kubernetes.io/node/interruption_count';
const QUERY = { projectId: 'p', filter: `metric.type = "${METRIC}"`, start: 0, end: 60_000_000 };
const RESOURCE = { project_id: 'p', location: 'l', cluster_name: 'c', node_name: 'n' };

let store: TimeSeriesStore;
let server: MonitoringServer;
let telemetry: Telemetry;
let monitoring: Monitoring;

function write(reason: string, endTime: number): void {
  const metricLabels = { interruption_type: 'TerminationEvent', interruption_reason: reason };
  const identity = { metricType: METRIC, metricLabels, resourceType: 'k8s_node', resourceLabels: RESOURCE };
  store.write(identity, { endTime, value: { int64Value: 2 }, visibleAt: endTime });
}

async function failure(projectId = 'p'): Promise<{ reason: string; message: string }> {
  const error = await monitoring.list({ ...QUERY, projectId }).catch((each: unknown) => each);
  if (!(error instanceof GoogleError)) throw new Error(`it did not fail: ${JSON.stringify(error)}`);
  return { reason: error.reason, message: error.message };
}

beforeEach(async () => {
  store = new TimeSeriesStore();
  server = await startMonitoringServer(store, new Set(['p']));
  telemetry = new Telemetry();
  monitoring = new Monitoring({ endpoint: server.url, universeDomain: 'googleapis.com', telemetry });
});
afterEach(async () => {
  await monitoring.close();
  await server.stop();
});

describe('Monitoring', () => {
  it('lists labels and points', async () => {
    write('HostError', 1_500_000);
    expect(await monitoring.list(QUERY)).toEqual({
      series: [
        {
          metricLabels: { interruption_type: 'TerminationEvent', interruption_reason: 'HostError' },
          resourceLabels: RESOURCE,
          points: [{ endTime: 1_500_000, value: 2 }],
        },
      ],
      executionErrors: [],
      unreadable: [],
    });
  });

  it('takes points after the start and up to the end, to the millisecond', async () => {
    for (const endTime of [1000, 1001, 2000, 2001]) write('HostError', endTime);
    const { series } = await monitoring.list({ ...QUERY, start: 1000, end: 2000 });
    expect(series.flatMap(({ points }) => points.map(({ endTime }) => endTime))).toEqual([2000, 1001]);
  });

  it('takes a count that comes as double', async () => {
    write('HostError', 1000);
    server.faults.add({ fault: { kind: 'doubles' } });
    expect((await monitoring.list(QUERY)).series[0]?.points).toEqual([{ endTime: 1000, value: 2 }]);
  });

  it('reads every page, and counts what it read', async () => {
    for (let minute = 1; minute <= 25_000; minute += 1) write(`Reason ${minute % 3}`, minute * 1000);
    const { series } = await monitoring.list(QUERY);
    expect(series.reduce((sum, { points }) => sum + points.length, 0)).toBe(25_000);
    expect(server.requests.map(({ page }) => page)).toEqual([1, 2, 3]);
    const text = await telemetry.expose('text');
    expect(text).toContain(
      `gke_disruption_monitoring_time_series_read_total{project_id="p"} ${series.length}\n`,
    );
    expect(text).toContain(
      'gke_disruption_google_api_requests_total{api="monitoring",method="ListTimeSeries",code="OK"} 3\n',
    );
  });

  it('says that an answer is partial, and counts it', async () => {
    write('HostError', 1000);
    write('AutoRepair', 1000);
    server.faults.add({ fault: { kind: 'partial', series: 1 } });
    const { series, executionErrors } = await monitoring.list(QUERY);
    expect(series).toHaveLength(1);
    expect(executionErrors).toEqual(['Some time series could not be read.']);
    expect(await telemetry.expose('text')).toContain(
      'gke_disruption_monitoring_partial_responses_total{project_id="p"} 1\n',
    );
  });

  it('gives up on pages without end', async () => {
    server.faults.add({ times: 1000, fault: { kind: 'endless pages' } });
    expect(await failure()).toEqual({
      reason: 'invalid_answer',
      message: 'project p: no end of the answer after 500 pages',
    });
  });

  it('names the role that is missing', async () => {
    expect(await failure('other')).toEqual({
      reason: 'permission_denied',
      message:
        'project other: PERMISSION_DENIED: Permission monitoring.timeSeries.list denied (or the resource may not exist) on project other. (needed: the role roles/monitoring.viewer on project other)',
    });
  });

  it('names the API that is disabled', async () => {
    const message =
      'Cloud Monitoring API has not been used in project p before or it is disabled. Enable it by visiting https://console.example/ then retry.';
    server.faults.add({ fault: { kind: 'status', code: 7, message } });
    expect(await failure()).toEqual({
      reason: 'api_disabled',
      message: `project p: PERMISSION_DENIED: ${message} (needed: gcloud services enable monitoring.googleapis.com --project=p)`,
    });
  });

  it.each([
    [2, 'UNKNOWN', 'server_error'],
    [3, 'INVALID_ARGUMENT', 'rejected'],
    [4, 'DEADLINE_EXCEEDED', 'timeout'],
    [5, 'NOT_FOUND', 'not_found'],
    [8, 'RESOURCE_EXHAUSTED', 'quota'],
    [10, 'ABORTED', 'server_error'],
    [13, 'INTERNAL', 'server_error'],
    [14, 'UNAVAILABLE', 'connection'],
    [16, 'UNAUTHENTICATED', 'credentials'],
  ])('tells status %i, %s, as %s, and does not ask again by itself', async (code, name, reason) => {
    server.faults.add({ fault: { kind: 'status', code, message: 'drawn' } });
    expect((await failure()).reason).toBe(reason);
    expect(server.requests).toEqual([]);
    expect(await telemetry.expose('text')).toContain(
      `gke_disruption_google_api_requests_total{api="monitoring",method="ListTimeSeries",code="${name}"} 1\n`,
    );
  });

  it('fails at once when it is closed while it waits', async () => {
    server.faults.add({ fault: { kind: 'silence' } });
    const failing = failure();
    await expect.poll(() => server.faults.isEmpty).toBe(true);
    await monitoring.close();
    expect((await failing).reason).toMatch(/connection|rejected/u);
  });

  it('fails when nobody listens', async () => {
    await server.stop();
    expect((await failure()).reason).toBe('connection');
  });
});

it.each([
  [undefined, 'googleapis.com', 'monitoring.googleapis.com'],
  [undefined, 's3nsapis.fr', 'monitoring.s3nsapis.fr'],
  ['private.example:8443', 's3nsapis.fr', 'private.example:8443'],
])('with the endpoint %s and the universe %s reads %s', async (endpoint, universeDomain, host) => {
  const other = new Monitoring({ endpoint, universeDomain, telemetry });
  expect(other.endpoint).toBe(host);
  await other.close();
});
