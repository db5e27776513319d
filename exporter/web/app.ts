import Router from '@koa/router';
import type { Logger } from '@logtape/logtape';
import Koa from 'koa';
import { landingPage } from './landing-page.ts';
import { type MetricsEndpointOptions, metricsEndpoint } from './metrics-endpoint.ts';
import { type ReadinessCheck, readiness } from './readiness.ts';

export interface AppOptions extends MetricsEndpointOptions {
  readonly title: string;
  readonly version: string;
  readonly telemetryPath: string;
  readonly checks: readonly ReadinessCheck[];
  readonly log: Logger;
}

/** Makes the web application. It knows nothing of GKE; listening is elsewhere. */
export function createApp(options: AppOptions): Koa {
  const app = new Koa();
  const router = new Router();
  router.get(options.telemetryPath, metricsEndpoint(options));
  router.get('/livez', (context) => {
    context.body = 'ok\n';
  });
  router.get('/readyz', (context) => {
    const { isReady, text } = readiness(options.checks, 'verbose' in context.query);
    context.status = isReady ? 200 : 503;
    context.body = text;
  });
  router.get('/', (context) => {
    context.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
    context.type = 'html';
    context.body = landingPage(options);
  });
  app.use(async (context, next) => {
    context.set('X-Content-Type-Options', 'nosniff');
    context.set('Cache-Control', 'no-store');
    await next();
  });
  app.use(router.routes());
  app.use(router.allowedMethods());
  app.on('error', (error: Error) => {
    options.log.error('request failed', { error: error.message });
  });
  return app;
}
