/** Why a request to the Kubernetes API failed; a bounded set, fit for a label. */
export const FAILURE_REASONS = [
  'certificate',
  'connection',
  'credentials',
  'forbidden',
  'gone',
  'invalid_answer',
  'not_found',
  'rejected',
  'server_error',
  'throttled',
  'timeout',
  'unauthorized',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

interface KubernetesErrorOptions extends ErrorOptions {
  readonly reason: FailureReason;
  /** HTTP status or code of a Status object; absent when no answer came. */
  readonly status?: number;
  /** What `Retry-After` asked for, in seconds. */
  readonly retryAfterSeconds?: number;
}

/** A request to the Kubernetes API that failed, with the reason in one word and a message for people. */
export class KubernetesError extends Error {
  readonly reason: FailureReason;
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, options: KubernetesErrorOptions) {
    super(message, options);
    this.name = 'KubernetesError';
    this.reason = options.reason;
    this.status = options.status;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

const REASON_BY_STATUS: Readonly<Record<number, FailureReason>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  410: 'gone',
  429: 'throttled',
};

/** The reason that an HTTP status, or the code of a Status object, stands for. */
export function reasonOfStatus(status: number): FailureReason {
  return REASON_BY_STATUS[status] ?? (status >= 500 ? 'server_error' : 'rejected');
}

const TIMEOUT = /TIMEOUT|ETIMEDOUT/u;
const CERTIFICATE = /CERT|TLS|SELF_SIGNED|UNABLE_TO_VERIFY|SSL|EPROTO/u;

/** Names what went wrong on the way, by undici's, Node.js' and OpenSSL's codes. */
export function transportError(cause: unknown): KubernetesError {
  if (cause instanceof KubernetesError) return cause;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const message = cause instanceof Error ? cause.message || code : String(cause);
  return new KubernetesError(message, { reason: reasonOfCode(code), cause });
}

function reasonOfCode(code: string): FailureReason {
  if (TIMEOUT.test(code)) return 'timeout';
  return CERTIFICATE.test(code) ? 'certificate' : 'connection';
}

/**
 * Wraps what went wrong while configuration or credentials were read. Parsers quote what they read, so of their messages
 * nothing is kept that could hold a secret.
 */
export function credentialsError(subject: string, cause: unknown): KubernetesError {
  if (cause instanceof KubernetesError) return cause;
  const message =
    cause instanceof Error && cause.name !== 'SyntaxError' ? firstLine(cause.message) : 'cannot be parsed';
  return new KubernetesError(`${subject}: ${message}`, { reason: 'credentials', cause });
}

function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').slice(0, 300);
}
