import { request as requestPlaintext } from 'node:http';
import { request as requestTls } from 'node:https';
import { GoogleError } from './google-error.ts';

/** An answer, read to its end. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

export interface HttpGet {
  readonly headers: Readonly<Record<string, string>>;
  /** Of the whole exchange. */
  readonly timeoutMilliseconds: number;
  /** What is longer is not read. */
  readonly mostBytes: number;
  readonly signal: AbortSignal;
}

/**
 * Gets a URL by HTTP/1.1, with any status; redirects are answers. Throws a GoogleError when no answer can be had, or is too long.
 * Node's own `fetch` would do, but takes 15 MB of memory, a fifth of what an exporter on each node may have.
 */
export async function httpGet(
  url: URL,
  { headers, timeoutMilliseconds, mostBytes, signal }: HttpGet,
): Promise<HttpAnswer> {
  const timeout = AbortSignal.timeout(timeoutMilliseconds);
  try {
    return await exchange(url, headers, mostBytes, AbortSignal.any([signal, timeout]));
  } catch (cause) {
    if (cause instanceof GoogleError) throw cause;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new GoogleError(timeout.aborted ? 'no answer in time' : message.slice(0, 300), {
      reason: timeout.aborted ? 'timeout' : 'connection',
      cause,
    });
  }
}

function exchange(
  url: URL,
  headers: Readonly<Record<string, string>>,
  mostBytes: number,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const request = url.protocol === 'http:' ? requestPlaintext : requestTls;
  const sent = request(url, { headers, signal }, (response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes <= mostBytes) chunks.push(chunk);
      else
        sent.destroy(
          new GoogleError(`the answer is longer than ${mostBytes} bytes`, { reason: 'invalid_answer' }),
        );
    });
    response.on('error', reject);
    response.on('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      }),
    );
  });
  sent.on('error', reject);
  sent.end();
  return promise;
}
