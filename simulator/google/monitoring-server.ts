import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type GrpcObject,
  loadPackageDefinition,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceClientConstructor,
  type ServiceError,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import { answerOf, parseRequest, parseToken, StatusError } from './monitoring-answer.ts';
import { type MonitoringFault, MonitoringFaults } from './monitoring-fault.ts';
import { FilterError } from './monitoring-filter.ts';
import type { TimeSeriesStore } from './time-series-store.ts';

/** A request that was answered. */
interface MonitoringRequest {
  readonly project: string;
  readonly filter: string;
  readonly page: number;
  /** Number of series in the answer: what Google bills. */
  readonly series: number;
}

/** A running Cloud Monitoring. */
export interface MonitoringServer {
  /** `http://127.0.0.1:port`, for `--monitoring.endpoint`. */
  readonly url: string;
  readonly faults: MonitoringFaults;
  readonly requests: readonly MonitoringRequest[];
  readonly stop: () => Promise<void>;
}

/** Serves Google's own MetricService over plaintext gRPC. `projects`: others are denied as Google denies them. */
export async function startMonitoringServer(
  store: TimeSeriesStore,
  projects: ReadonlySet<string>,
  address = '127.0.0.1:0',
): Promise<MonitoringServer> {
  const faults = new MonitoringFaults();
  const requests: MonitoringRequest[] = [];
  const ended = new AbortController();
  const listTimeSeries = async (request: unknown): Promise<object> => {
    const query = parseRequest(request);
    if (!projects.has(query.name)) throw permissionDenied(query.name);
    const planned = faults.take(metricTypeOf(query.filter));
    await suffer(planned, ended.signal);
    const answer = answerOf(store, query, planned);
    requests.push({
      project: query.name,
      filter: query.filter,
      page: parseToken(query.pageToken).page,
      series: answer.timeSeries.length,
    });
    return answer;
  };
  const server = new Server();
  server.addService(metricService(), { listTimeSeries: unary(listTimeSeries) });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return {
    url: `http://${address.replace(/:\d+$/u, '')}:${port}`,
    faults,
    requests,
    stop: () => {
      ended.abort();
      server.forceShutdown();
      return Promise.resolve();
    },
  };
}

/** Google's own definitions, as the client library carries them. */
function metricService() {
  const file = createRequire(import.meta.url).resolve('@google-cloud/monitoring/build/protos/protos.json');
  const definition = fromJSON(JSON.parse(readFileSync(file, 'utf8')), { longs: Number, defaults: true });
  const packages = loadPackageDefinition(definition);
  const path = ['google', 'monitoring', 'v3', 'MetricService'];
  const service = path.reduce<unknown>((parent, name) => (parent as GrpcObject)[name], packages);
  return (service as ServiceClientConstructor).service;
}

function unary(handle: (request: unknown) => Promise<object>) {
  return ({ request }: ServerUnaryCall<unknown, object>, answer: sendUnaryData<object>): void => {
    handle(request).then(
      (value) => answer(null, value),
      (error: unknown) => answer(serviceError(error)),
    );
  };
}

function serviceError(error: unknown): Partial<ServiceError> {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof StatusError) return { code: error.code, details: message };
  if (error instanceof FilterError) return { code: status.INVALID_ARGUMENT, details: message };
  return { code: status.INTERNAL, details: message };
}

function permissionDenied(project: string): StatusError {
  return new StatusError(
    status.PERMISSION_DENIED,
    `Permission monitoring.timeSeries.list denied (or the resource may not exist) on project ${project}.`,
  );
}

function metricTypeOf(filter: string): string {
  return /metric\.type\s*=\s*"(?<type>[^"]*)"/u.exec(filter)?.groups?.type ?? '';
}

async function suffer(faults: readonly MonitoringFault[], signal: AbortSignal): Promise<void> {
  for (const fault of faults) {
    if (fault.kind === 'delay') await delay(fault.milliseconds, undefined, { signal });
    if (fault.kind === 'silence') await delay(2 ** 31 - 1, undefined, { signal });
    if (fault.kind === 'status') throw new StatusError(fault.code, fault.message);
  }
}
