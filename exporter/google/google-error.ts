import * as v from 'valibot';

/** Why a request to a Google API failed; a bounded set, fit for a label. */
export const GOOGLE_FAILURE_REASONS = [
  'api_disabled',
  'connection',
  'credentials',
  'identity',
  'invalid_answer',
  'not_found',
  'partial',
  'permission_denied',
  'quota',
  'rejected',
  'server_error',
  'timeout',
] as const;
export type GoogleFailureReason = (typeof GOOGLE_FAILURE_REASONS)[number];

/** A request to a Google API that failed, with the reason in one word and a message that says what to do. */
export class GoogleError extends Error {
  readonly reason: GoogleFailureReason;

  constructor(message: string, options: ErrorOptions & { readonly reason: GoogleFailureReason }) {
    super(message, options);
    this.name = 'GoogleError';
    this.reason = options.reason;
  }
}

/** The failure that an answer lacked something. */
export function partialAnswer(project: string, errors: readonly string[]): GoogleError {
  return new GoogleError(`project ${project}: the answer is not complete: ${errors[0] ?? ''}`, {
    reason: 'partial',
  });
}

/** What google-gax throws: a gRPC status, and details decoded from google.rpc.ErrorInfo. */
const RPC_ERROR = v.object({
  code: v.number(),
  details: v.nullish(v.string(), ''),
  reason: v.nullish(v.string(), ''),
});

/** gRPC status codes by google.rpc.Code. */
const CODE_NAMES: readonly string[] = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];

const REASON_BY_CODE: Readonly<Record<string, GoogleFailureReason>> = {
  DEADLINE_EXCEEDED: 'timeout',
  NOT_FOUND: 'not_found',
  PERMISSION_DENIED: 'permission_denied',
  RESOURCE_EXHAUSTED: 'quota',
  UNAVAILABLE: 'connection',
  UNAUTHENTICATED: 'credentials',
  INTERNAL: 'server_error',
  UNKNOWN: 'server_error',
  DATA_LOSS: 'server_error',
  ABORTED: 'server_error',
};

/** The name of a gRPC status, the label `code` of the telemetry; UNKNOWN for what is no gRPC error. */
export function codeName(error: unknown): string {
  const parsed = v.safeParse(RPC_ERROR, error);
  return (parsed.success ? CODE_NAMES[parsed.output.code] : undefined) ?? 'UNKNOWN';
}

/** What an API needs, for messages that say what to do. */
export interface ApiNeeds {
  /** `monitoring.googleapis.com` */
  readonly service: string;
  /** `roles/monitoring.viewer` */
  readonly role: string;
}

/** Names what went wrong, and what to do where somebody can do something. */
export function googleError(error: unknown, project: string, needs: ApiNeeds): GoogleError {
  if (error instanceof GoogleError) return error;
  const parsed = v.safeParse(RPC_ERROR, error);
  if (!parsed.success) {
    const message = error instanceof Error ? error.message : String(error);
    return new GoogleError(`credentials of Google: ${firstLine(message)}`, {
      reason: 'credentials',
      cause: error,
    });
  }
  const { details, reason: detail } = parsed.output;
  const name = CODE_NAMES[parsed.output.code] ?? 'UNKNOWN';
  const isDisabled =
    detail === 'SERVICE_DISABLED' || /has not been used in project|it is disabled/u.test(details);
  const reason = isDisabled ? 'api_disabled' : (REASON_BY_CODE[name] ?? 'rejected');
  return new GoogleError(
    `project ${project}: ${name}: ${firstLine(details)}${advice(reason, project, needs)}`,
    {
      reason,
      cause: error,
    },
  );
}

/** What somebody can do about a failure, in brackets; empty where nobody can. */
export function advice(reason: GoogleFailureReason, project: string, { service, role }: ApiNeeds): string {
  switch (reason) {
    case 'api_disabled':
      return ` (needed: gcloud services enable ${service} --project=${project})`;
    case 'permission_denied':
      return ` (needed: the role ${role} on project ${project})`;
    case 'not_found':
      return ' (is the project id right? --google.project-id)';
    default:
      return '';
  }
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').slice(0, 300);
}
