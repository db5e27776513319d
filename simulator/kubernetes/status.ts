/** Body of an error (meta/v1 Status). */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: { readonly continue?: string };
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code: number;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly { reason: string; message: string; field?: string }[];
  readonly retryAfterSeconds?: number;
}

/** An error that the API server answers with: the HTTP status is the code of the Status. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status;

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? status.reason ?? 'unknown', options);
    this.status = status;
  }
}

/** The reasons that Kubernetes gives with its HTTP codes (apimachinery, StatusReason). */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

interface FailureOptions {
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly continueToken?: string;
}

export function failure(code: number, message: string, options: FailureOptions = {}): Status {
  const { reason = REASONS[code], details, continueToken } = options;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: continueToken === undefined ? {} : { continue: continueToken },
    status: 'Failure',
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  };
}

export function statusError(
  code: number,
  message: string,
  options: FailureOptions & ErrorOptions = {},
): StatusError {
  return new StatusError(
    failure(code, message, options),
    options.cause === undefined ? {} : { cause: options.cause },
  );
}
