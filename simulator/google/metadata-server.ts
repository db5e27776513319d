import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the server answers for a path. */
export interface MetadataAnswer {
  readonly status: number;
  readonly body: string;
  readonly contentType?: string;
}

/** What can go wrong with a request. */
export type MetadataFault =
  | ({ readonly kind: 'answer' } & MetadataAnswer)
  | { readonly kind: 'delay'; readonly milliseconds: number }
  /** No answer ever comes. */
  | { readonly kind: 'silence' }
  /** The connection is cut. */
  | { readonly kind: 'reset' }
  /** A body of so many bytes. */
  | { readonly kind: 'flood'; readonly bytes: number };

interface PlannedFault {
  readonly path: string | undefined;
  readonly fault: MetadataFault;
  left: number;
}

export interface MetadataServerOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
}

const ROOT = '/computeMetadata/v1/';
const LONGEST_WAIT_SECONDS = 3600;
const FLOOD_CHUNK = 65_536;

/**
 * The metadata server of one VM. Source: Compute Engine documentation, "View and query VM metadata" (header checks, ETag,
 * `wait_for_change`).
 */
export class MetadataServer {
  readonly #answers = new Map<string, MetadataAnswer>();
  readonly #changes = new EventEmitter<Record<string, []>>();
  readonly #faults: PlannedFault[] = [];
  readonly #requests: string[] = [];
  readonly #ended = new AbortController();
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  });

  private constructor() {
    this.#changes.setMaxListeners(0);
  }

  static async start({ host = '127.0.0.1', port = 0 }: MetadataServerOptions = {}): Promise<MetadataServer> {
    const server = new MetadataServer();
    server.#server.listen(port, host);
    await once(server.#server, 'listening');
    return server;
  }

  /** `127.0.0.1:port`, for `GCE_METADATA_HOST`. */
  get host(): string {
    const { address, port } = this.#server.address() as AddressInfo;
    return `${address}:${port}`;
  }

  /** Paths and queries of what was asked for, from the first. */
  get requests(): readonly string[] {
    return this.#requests;
  }

  /** Sets a value, `instance/preempted`; a text is answered with 200, undefined with 404. Whoever waits for it is answered. */
  set(path: string, value: string | MetadataAnswer | undefined): void {
    if (value === undefined) this.#answers.delete(path);
    else this.#answers.set(path, typeof value === 'string' ? { status: 200, body: value } : value);
    this.#changes.emit(path);
  }

  /** Plans a fault for the next requests, of one path or of all. */
  fail(
    fault: MetadataFault,
    { path, times = 1 }: { readonly path?: string; readonly times?: number } = {},
  ): void {
    this.#faults.push({ path, fault, left: times });
  }

  /** Cancels all faults that are planned. */
  heal(): void {
    this.#faults.length = 0;
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    this.#server.close();
    this.#server.closeAllConnections();
    await Promise.resolve();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://metadata.google.internal');
    this.#requests.push(url.pathname + url.search);
    if (request.headers['metadata-flavor'] !== 'Google')
      return send(response, { status: 403, body: 'Missing Metadata-Flavor:Google header.' });
    if (request.headers['x-forwarded-for'] !== undefined)
      return send(response, { status: 403, body: 'X-Forwarded-For is not allowed.' });
    const path = url.pathname.startsWith(ROOT) ? url.pathname.slice(ROOT.length) : url.pathname;
    if (await this.#suffer(path, response)) return undefined;
    await this.#waitForChange(path, url.searchParams);
    return send(response, this.#answer(path));
  }

  #answer(path: string): MetadataAnswer {
    return this.#answers.get(path) ?? { status: 404, body: 'Not found', contentType: 'text/html' };
  }

  /** Returns at a change, at the time-out, or at once when the value is another than the client's last. */
  async #waitForChange(path: string, query: URLSearchParams): Promise<void> {
    if (query.get('wait_for_change') !== 'true') return;
    const last = query.get('last_etag');
    if (last !== null && last !== etagOf(this.#answer(path))) return;
    const seconds = Number(query.get('timeout_sec') ?? LONGEST_WAIT_SECONDS);
    const signal = AbortSignal.any([AbortSignal.timeout(seconds * 1000), this.#ended.signal]);
    await once(this.#changes, path, { signal }).catch(() => undefined);
  }

  /** Lets the faults befall a request. Returns whether it is answered by that. */
  async #suffer(path: string, response: ServerResponse): Promise<boolean> {
    for (const planned of this.#faults) {
      if (planned.left < 1 || (planned.path !== undefined && planned.path !== path)) continue;
      planned.left -= 1;
      if (await befall(planned.fault, response)) return true;
    }
    return false;
  }
}

/** Returns whether the request is answered by a fault. */
async function befall(fault: MetadataFault, response: ServerResponse): Promise<boolean> {
  switch (fault.kind) {
    case 'answer':
      send(response, fault);
      return true;
    case 'delay':
      await once(AbortSignal.timeout(fault.milliseconds), 'abort');
      return false;
    case 'silence':
      return true;
    case 'reset':
      response.destroy();
      return true;
    case 'flood':
      flood(response, fault.bytes);
      return true;
    default:
      return fault satisfies never;
  }
}

function send(response: ServerResponse, answer: MetadataAnswer): void {
  const { status, body, contentType = 'application/text' } = answer;
  response.writeHead(status, {
    'content-type': contentType,
    etag: etagOf(answer),
    'metadata-flavor': 'Google',
    server: 'Metadata Server for VM',
  });
  response.end(body);
}

function flood(response: ServerResponse, bytes: number): void {
  response.writeHead(200, { 'content-type': 'application/text', 'metadata-flavor': 'Google', etag: '1' });
  const chunk = 'x'.repeat(FLOOD_CHUNK);
  for (let sent = 0; sent < bytes; sent += FLOOD_CHUNK) response.write(chunk);
  response.end();
}

function etagOf({ status, body }: MetadataAnswer): string {
  return createHash('sha256').update(`${status}\n${body}`).digest('hex').slice(0, 16);
}
