import * as v from 'valibot';
import { type ApiNeeds, advice, GoogleError, type GoogleFailureReason } from './google-error.ts';

/** The error of a REST API of Google: https://cloud.google.com/apis/design/errors */
const ERROR = v.object({
  error: v.object({
    message: v.nullish(v.string(), ''),
    status: v.nullish(v.string(), ''),
    errors: v.nullish(v.array(v.object({ reason: v.nullish(v.string(), '') })), []),
    details: v.nullish(v.array(v.object({ reason: v.nullish(v.string(), '') })), []),
  }),
});

const QUOTA = /^(?:RATE_LIMIT_EXCEEDED|(?:userR|r)ateLimitExceeded|quotaExceeded|dailyLimitExceeded)$/u;
const DISABLED = /^(?:SERVICE_DISABLED|accessNotConfigured)$/u;

/** Names what went wrong with a REST request, and what to do where somebody can do something. */
export function httpError(status: number, body: string, project: string, needs: ApiNeeds): GoogleError {
  const { message, reasons } = readError(body);
  const reason = reasonOf(status, reasons);
  return new GoogleError(
    `project ${project}: ${status}: ${message.split('\n')[0]?.slice(0, 300) ?? ''}${advice(reason, project, needs)}`,
    { reason },
  );
}

function readError(body: string): { message: string; reasons: readonly string[] } {
  try {
    const { error } = v.parse(ERROR, JSON.parse(body));
    return {
      message: error.message,
      reasons: [...error.errors, ...error.details].map(({ reason }) => reason),
    };
  } catch {
    return { message: 'no error of the API', reasons: [] };
  }
}

function reasonOf(status: number, reasons: readonly string[]): GoogleFailureReason {
  if (reasons.some((reason) => DISABLED.test(reason))) return 'api_disabled';
  if (status === 429 || reasons.some((reason) => QUOTA.test(reason))) return 'quota';
  if (status === 401) return 'credentials';
  if (status === 403) return 'permission_denied';
  if (status === 404) return 'not_found';
  return status >= 500 ? 'server_error' : 'rejected';
}
