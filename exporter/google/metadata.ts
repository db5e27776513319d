import process from 'node:process';
import { GoogleError, type GoogleFailureReason } from './google-error.ts';
import { httpGet } from './http.ts';

const ROOT = '/computeMetadata/v1/';
/** No value that we ask for has more than some kilobytes; `kube-labels` may have ten. */
const LARGEST_ANSWER = 65_536;
const HEAD_TIMEOUT = 5000;

/** What the metadata server says of a key. */
export interface MetadataValue {
  readonly status: number;
  /** To wait for the next change from. */
  readonly etag: string;
  readonly body: string;
}

export interface MetadataQuery {
  /** Answers in JSON where the value is an object. */
  readonly alt?: 'json';
  /** Answer when the value is another than this one, at the latest after so many seconds. */
  readonly wait?: { readonly lastEtag: string; readonly seconds: number };
}

/**
 * Reads the metadata server of this VM. Source: Compute Engine documentation, "View and query VM metadata". gcp-metadata hides
 * the ETag that a waiting request needs, and reads bodies of any size.
 */
export class MetadataServerClient {
  readonly #root: string;

  /** `endpoint`: a URL. Without one GCE_METADATA_HOST names the host, as for Google's own clients, else it is Compute Engine's. */
  constructor(endpoint: string | undefined) {
    const host = process.env.GCE_METADATA_HOST ?? '';
    const base = endpoint ?? `http://${host === '' ? 'metadata.google.internal' : host}`;
    this.#root = base.replace(/\/+$/u, '') + ROOT;
  }

  /** Reads a key, `instance/preempted`. Any status is an answer; throws a GoogleError when none can be had. */
  async get(key: string, signal: AbortSignal, { alt, wait }: MetadataQuery = {}): Promise<MetadataValue> {
    const url = new URL(this.#root + key);
    if (alt !== undefined) url.searchParams.set('alt', alt);
    if (wait !== undefined) {
      url.searchParams.set('wait_for_change', 'true');
      url.searchParams.set('last_etag', wait.lastEtag);
      url.searchParams.set('timeout_sec', String(wait.seconds));
    }
    const { status, headers, body } = await httpGet(url, {
      headers: { 'Metadata-Flavor': 'Google' },
      timeoutMilliseconds: HEAD_TIMEOUT + (wait?.seconds ?? 0) * 1000,
      mostBytes: LARGEST_ANSWER,
      signal,
    }).catch((error: unknown) => {
      throw error instanceof GoogleError ? metadataError(key, error.message, error.reason) : error;
    });
    if (headers['metadata-flavor'] !== 'Google')
      throw metadataError(key, 'who answers is no metadata server', 'invalid_answer');
    return { status, etag: String(headers.etag ?? ''), body };
  }
}

function metadataError(key: string, what: string, reason: GoogleFailureReason): GoogleError {
  return new GoogleError(`metadata server, ${key}: ${what}`, { reason });
}
