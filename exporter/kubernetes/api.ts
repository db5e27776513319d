import type { Readable } from 'node:stream';
import { HttpMethod, type KubeConfig, RequestContext } from '@kubernetes/client-node';
import { type Dispatcher, request } from 'undici';
import * as v from 'valibot';
import { credentialsError, KubernetesError, reasonOfStatus, transportError } from './kubernetes-error.ts';

/** How long, in milliseconds, to wait for the head of an answer, and for the next piece of its body. */
export interface Patience {
  readonly head: number;
  readonly body: number;
}

/** Query parameters; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** client-node's own agent fits this in its `RequestContext`. */
type Agent = Dispatcher | undefined;

/** V8 holds no string of more than about 512 MiB, and a page of 500 nodes has some 10 MB. */
const LARGEST_ANSWER_BYTES = 480 * 1024 * 1024;
const LARGEST_STATUS_BYTES = 64 * 1024;

/** The `Status` object by which Kubernetes says what failed. */
const STATUS = v.object({ kind: v.literal('Status'), message: v.string() });

/**
 * Requests with one set of credentials and one certificate authority, read when it was opened. A session lives for one
 * list or one watch, so that rotated tokens and CA files count from the next one on.
 */
export class KubernetesSession {
  readonly #server: string;
  readonly #headers: Record<string, string>;
  readonly #agent: Agent;

  private constructor(server: string, headers: Record<string, string>, agent: Agent) {
    this.#server = server;
    this.#headers = headers;
    this.#agent = agent;
  }

  /** Reads configuration and credentials. Throws a KubernetesError with reason `credentials` when that fails. */
  static async open(load: () => KubeConfig): Promise<KubernetesSession> {
    const config = load();
    const server = (config.getCurrentCluster()?.server ?? '').replace(/\/$/u, '');
    const context = new RequestContext(server, HttpMethod.GET);
    try {
      await config.applySecurityAuthentication(context);
    } catch (error) {
      throw credentialsError('credentials', error);
    }
    return new KubernetesSession(server, trimmed(context.getHeaders()), context.getDispatcher());
  }

  /** GETs and gives the body of an answer 200 as a stream. Throws a KubernetesError for everything else. */
  async stream(path: string, query: Query, patience: Patience, signal: AbortSignal): Promise<Readable> {
    const url = new URL(this.#server + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const answer = await this.#request(url, patience, signal);
    if (answer.statusCode === 200) return answer.body;
    throw await statusError(answer);
  }

  /** GETs a JSON document. Throws a KubernetesError for everything but an answer 200 with JSON. */
  async json(path: string, query: Query, patience: Patience, signal: AbortSignal): Promise<unknown> {
    const text = await readText(await this.stream(path, query, patience, signal), LARGEST_ANSWER_BYTES);
    try {
      return JSON.parse(text) as unknown;
    } catch (cause) {
      throw new KubernetesError('the answer is not JSON', { reason: 'invalid_answer', cause });
    }
  }

  /** Ends all connections at once. */
  async close(): Promise<void> {
    await this.#agent?.destroy();
  }

  async #request(url: URL, patience: Patience, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    try {
      return await request(url, {
        headers: { ...this.#headers, accept: 'application/json', 'user-agent': 'gke-disruption-exporter' },
        headersTimeout: patience.head,
        bodyTimeout: patience.body,
        signal,
        ...(this.#agent === undefined ? {} : { dispatcher: this.#agent }),
      });
    } catch (error) {
      throw transportError(error);
    }
  }
}

/** Files with tokens often end in a newline, which no header may hold. */
function trimmed(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.trim()]));
}

async function readText(body: Readable, largestBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > largestBytes) {
        throw new KubernetesError(`the answer has more than ${largestBytes} bytes`, {
          reason: 'invalid_answer',
        });
      }
      chunks.push(chunk);
    }
  } catch (error) {
    throw transportError(error);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function statusError({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<KubernetesError> {
  const text = await readText(body, LARGEST_STATUS_BYTES).catch(() => '');
  const retryAfterSeconds = Number(headers['retry-after']);
  return new KubernetesError(`${statusCode}: ${statusMessage(text)}`, {
    reason: reasonOfStatus(statusCode),
    status: statusCode,
    ...(Number.isFinite(retryAfterSeconds) ? { retryAfterSeconds } : {}),
  });
}

function statusMessage(text: string): string {
  try {
    return v.parse(STATUS, JSON.parse(text)).message.slice(0, 300);
  } catch {
    return 'no Kubernetes Status in the answer';
  }
}
