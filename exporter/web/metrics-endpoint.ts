import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Middleware } from 'koa';
import { CONTENT_TYPES, type Format } from '../metrics/exposition.ts';
import type { Telemetry } from '../metrics/telemetry.ts';
import { negotiateFormat } from './negotiation.ts';

const compress = promisify(gzip);

export interface MetricsEndpointOptions {
  /** The whole exposition, its end line included. */
  readonly expose: (format: Format) => Promise<string>;
  readonly telemetry: Telemetry;
  /** Parallel scrapes; more are refused. */
  readonly maxRequests: number;
}

/** Answers a scrape. */
export function metricsEndpoint({ expose, telemetry, maxRequests }: MetricsEndpointOptions): Middleware {
  let underWay = 0;
  return async (context) => {
    if (underWay >= maxRequests) {
      context.status = 503;
      context.set('Retry-After', '1');
      context.body = `More than ${maxRequests} scrapes at once, try again later.\n`;
      return;
    }
    underWay += 1;
    try {
      const started = performance.now();
      const format = negotiateFormat(context.get('Accept') || undefined);
      const encoding = context.acceptsEncodings('gzip', 'identity') === 'gzip' ? 'gzip' : 'identity';
      const text = await expose(format);
      const body =
        encoding === 'gzip' ? await compress(text, { level: constants.Z_BEST_SPEED }) : Buffer.from(text);
      context.vary('Accept');
      context.vary('Accept-Encoding');
      context.set('Content-Type', CONTENT_TYPES[format]);
      if (encoding === 'gzip') context.set('Content-Encoding', encoding);
      context.body = body;
      const labels = { format, encoding };
      telemetry.observe(
        'gke_disruption_scrape_duration_seconds',
        labels,
        (performance.now() - started) / 1000,
      );
      telemetry.set('gke_disruption_scrape_size_bytes', labels, body.length);
    } finally {
      underWay -= 1;
    }
  };
}
