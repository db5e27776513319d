import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { createInterface } from 'node:readline';
import type { Simulator } from './simulator.ts';

export interface Answer {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  /** JSON, or the text if it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all kinds, and fail where one is different.
  readonly body: any;
}

export interface AskOptions {
  readonly method?: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  /** Default: the simulator's. */
  readonly token?: string | undefined;
}

const agent = new Agent({ keepAlive: false });

/** Asks the API server of a simulator, for tests. Rejects when the connection breaks. */
export async function ask(simulator: Simulator, path: string, options: AskOptions = {}): Promise<Answer> {
  const response = await send(simulator, path, options);
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return { code: response.statusCode ?? 0, headers: response.headers, body: parsed(text) };
}

/** One line of a watch, parsed. */
interface WatchLine {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly object: any;
}

export interface TestWatch {
  readonly code: number;
  /** The next line; undefined at the end. Rejects when the connection breaks. */
  readonly next: () => Promise<WatchLine | undefined>;
  /** The next line as it is. */
  readonly nextText: () => Promise<string | undefined>;
  readonly close: () => void;
}

/** Opens a watch. */
export async function openWatch(simulator: Simulator, path: string, accept?: string): Promise<TestWatch> {
  const response = await send(simulator, path, accept === undefined ? {} : { accept });
  let broken: Error | undefined;
  response.on('error', (error) => {
    broken = error;
  });
  const lines = createInterface({ input: response })[Symbol.asyncIterator]();
  const nextText = async () => {
    const { value, done } = await lines.next();
    if (broken !== undefined) throw broken;
    return done === true ? undefined : value;
  };
  return {
    code: response.statusCode ?? 0,
    nextText,
    next: async () => {
      const text = await nextText();
      return text === undefined ? undefined : (JSON.parse(text) as WatchLine);
    },
    close: () => response.destroy(),
  };
}

async function send(simulator: Simulator, path: string, options: AskOptions): Promise<IncomingMessage> {
  const { method = 'GET', body, contentType = 'application/json', accept = 'application/json' } = options;
  const token = options.token ?? simulator.token;
  const text = body === undefined ? '' : JSON.stringify(body);
  const request = httpsRequest(`${simulator.url}${path}`, {
    method,
    agent,
    ca: readFileSync(simulator.caPath),
    headers: {
      accept,
      authorization: `Bearer ${token}`,
      'content-type': contentType,
      'content-length': Buffer.byteLength(text),
    },
  });
  request.end(text);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
