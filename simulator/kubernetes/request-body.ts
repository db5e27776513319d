import type { IncomingMessage } from 'node:http';
import { statusError } from './status.ts';

/** The real server's limit of a request. */
const LARGEST_BYTES = 3 * 1024 * 1024;

/** Reads a JSON body; undefined if there is none. Throws a StatusError: 400 or 413. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LARGEST_BYTES) throw statusError(413, `limit is ${LARGEST_BYTES}`);
    chunks.push(chunk);
  }
  if (length === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch (error) {
    throw statusError(400, `the object provided is unrecognized: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
