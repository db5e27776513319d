import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MaintenanceJson, VirtualMachine, VirtualMachines } from './virtual-machines.ts';

/** What goes wrong with the next requests. */
type ComputeFault =
  | { readonly kind: 'answer'; readonly status: number; readonly body: string }
  | { readonly kind: 'reset' }
  | { readonly kind: 'silence' }
  /** A zone does not answer: its VMs are not in the list, and a warning says so. */
  | { readonly kind: 'unreachable'; readonly zone: string }
  /** There is always a next page. */
  | { readonly kind: 'endless pages' };

/** A running Compute Engine API. */
export interface ComputeServer {
  /** `http://127.0.0.1:port`, for `--compute.endpoint`. */
  readonly url: string;
  /** Paths and queries of what was asked for. */
  readonly requests: readonly URL[];
  readonly fail: (fault: ComputeFault, times?: number) => void;
  readonly heal: () => void;
  readonly stop: () => Promise<void>;
}

const PATH = /^\/compute\/v1\/projects\/(?<project>[^/]+)\/aggregated\/instances$/u;
const FILTER = /^labels\.goog-k8s-cluster-name(?: = "(?<name>[^"]*)"|:\*)$/u;
const LARGEST_PAGE = 500;

interface Place {
  readonly project: string;
  readonly location: string;
  readonly name: string;
}

/** Serves `instances.aggregatedList` of the VMs of a cluster. Other projects are denied as Google denies them. */
export async function startComputeServer(machines: VirtualMachines, cluster: Place): Promise<ComputeServer> {
  const requests: URL[] = [];
  const faults: { fault: ComputeFault; left: number }[] = [];
  const take = (): ComputeFault | undefined => {
    const planned = faults.find(({ left }) => left > 0);
    if (planned !== undefined) planned.left -= 1;
    return planned?.fault;
  };
  const server = createServer((request, response) => {
    const url = urlOf(request);
    requests.push(url);
    const fault = take();
    if (fault?.kind === 'reset') response.destroy();
    else if (fault?.kind !== 'silence') send(response, answerTo(url, fault, machines, cluster));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    fail: (fault, times = 1) => void faults.push({ fault, left: times }),
    heal: () => void faults.splice(0),
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await Promise.resolve();
    },
  };
}

function urlOf({ url = '/' }: IncomingMessage): URL {
  return new URL(url, 'http://compute.googleapis.com');
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

function answerTo(
  url: URL,
  fault: ComputeFault | undefined,
  machines: VirtualMachines,
  cluster: Place,
): Answer {
  if (fault?.kind === 'answer') return fault;
  const project = PATH.exec(url.pathname)?.groups?.project;
  if (project === undefined) return { status: 404, body: 'Not Found' };
  if (project !== cluster.project) return denied(project);
  const filter = FILTER.exec(url.searchParams.get('filter') ?? '');
  if (filter === null)
    return { status: 400, body: '{"error":{"message":"Invalid list filter expression."}}' };
  const isOurs = filter.groups?.name === undefined || filter.groups.name === cluster.name;
  const zone = fault?.kind === 'unreachable' ? fault.zone : undefined;
  const all = isOurs ? machines.all.filter((machine) => machine.zone !== zone) : [];
  const page = pageOf(all, url.searchParams, cluster, fault?.kind === 'endless pages');
  return { status: 200, body: JSON.stringify(zone === undefined ? page : withoutZone(page, zone)) };
}

function withoutZone(page: { items: Record<string, object> }, zone: string): object {
  const warning = { code: 'UNREACHABLE', message: 'The zone is unreachable.' };
  const scope = `zones/${zone}`;
  return { ...page, items: { ...page.items, [scope]: { warning } }, unreachables: [scope] };
}

function pageOf(
  all: readonly VirtualMachine[],
  query: URLSearchParams,
  cluster: Place,
  isEndless: boolean,
): { items: Record<string, object>; nextPageToken?: string } {
  const size = Math.min(Number(query.get('maxResults') ?? LARGEST_PAGE), LARGEST_PAGE);
  const first = Number(query.get('pageToken') ?? 0);
  const items: Record<string, { instances: object[] }> = {};
  for (const machine of all.slice(first, first + size)) {
    const scope = `zones/${machine.zone}`;
    items[scope] ??= { instances: [] };
    items[scope].instances.push(instance(machine, cluster, query.get('fields')));
  }
  const isLast = first + size >= all.length;
  return isLast && !isEndless ? { items } : { items, nextPageToken: String(first + size) };
}

/** Without a field mask an instance has much more; one of these stands for it. */
function instance(
  { name, nodePool, maintenance }: VirtualMachine,
  cluster: Place,
  fields: string | null,
): object {
  const known = {
    name,
    labels: {
      'goog-k8s-cluster-name': cluster.name,
      'goog-k8s-cluster-location': cluster.location,
      'goog-k8s-node-pool-name': nodePool,
    },
    ...(maintenance === undefined
      ? {}
      : { resourceStatus: { upcomingMaintenance: inCamelCase(maintenance) } }),
  };
  return fields === null ? { ...known, disks: [], networkInterfaces: [], metadata: { items: [] } } : known;
}

/** The same record in the words of the Compute API. */
function inCamelCase(maintenance: MaintenanceJson): object {
  const { start_time_window: _, can_reschedule: canReschedule, ...rest } = maintenance;
  const fields = Object.entries(rest).map(([key, value]) => [
    key.replace(/_(?<letter>[a-z])/gu, (__, letter: string) => letter.toUpperCase()),
    typeof value === 'string' ? value.replace('+00:00', 'Z') : value,
  ]);
  return {
    canReschedule: canReschedule === 'true',
    ...Object.fromEntries(fields),
    maintenanceOnShutdown: false,
  };
}

function denied(project: string): Answer {
  const message = `Required 'compute.instances.list' permission for 'projects/${project}'`;
  return {
    status: 403,
    body: JSON.stringify({ error: { code: 403, message, errors: [{ reason: 'forbidden' }] } }),
  };
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' });
  response.end(body);
}
