import type { Telemetry } from '../metrics/telemetry.ts';

/** Counts a request to a Google API that began at `started`, by `performance.now()`. `code`: its gRPC status or HTTP code. */
export function recordRequest(
  telemetry: Telemetry,
  { api, method, code }: { readonly api: string; readonly method: string; readonly code: string },
  started: number,
): void {
  telemetry.increment('gke_disruption_google_api_requests_total', { api, method, code });
  telemetry.observe(
    'gke_disruption_google_api_request_duration_seconds',
    { api, method },
    (performance.now() - started) / 1000,
  );
}
