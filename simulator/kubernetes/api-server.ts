import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Router } from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import * as v from 'valibot';
import type { BearerToken } from './bearer-token.ts';
import { createServerCertificate } from './certificate.ts';
import { apiGroup, coreVersions, groupList, resourceList, versionInfo } from './discovery.ts';
import { FAULT, Faults } from './fault.ts';
import type { ObjectStore } from './object-store.ts';
import { readJson } from './request-body.ts';
import { requestInfo } from './request-info.ts';
import { RequestLog } from './request-log.ts';
import type { Resource } from './resource.ts';
import { type ExpiredWatch, type ResourceService, serveResource } from './resource-requests.ts';
import { failure, type Status, StatusError, statusError } from './status.ts';
import type { OpenWatch } from './watch.ts';

export interface ApiServerOptions {
  readonly store: ObjectStore;
  readonly token: BearerToken;
  readonly resources: readonly Resource[];
  /** As `/version` shows it, `v1.35.6-gke.1234000`. */
  readonly version: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly bookmarkIntervalMs: number;
  readonly expiredWatch: () => ExpiredWatch;
}

/** A running API server. */
export interface ApiServer {
  readonly url: string;
  /** PEM text of the certificate authority. */
  readonly ca: string;
  readonly faults: Faults;
  readonly requests: RequestLog;
  /** Ends all connections. */
  stop: () => Promise<void>;
}

/** Starts a Kubernetes API server over HTTPS. Rejects if the port is taken. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const openWatches = new Set<OpenWatch>();
  const faults = new Faults(openWatches);
  const requests = new RequestLog();
  const app = createApp(options, { ...options, openWatches, faults, requests });
  const { ca, certificate, key } = await createServerCertificate();
  const server = createServer({ cert: certificate, key, keepAliveTimeout: 180_000 }, app.callback());
  const url = await listen(server, options.host, options.port);
  return { url, ca, faults, requests, stop: () => close(server, openWatches) };
}

function createApp(options: ApiServerOptions, service: ResourceService): Koa {
  const app = new Koa();
  // Every error is an answer here; Koa would print them.
  app.silent = true;
  const router = otherPaths(options, service);
  app.use(answerErrors);
  app.use(authenticate(options.token));
  app.use((ctx, next) => {
    const info = requestInfo(options.resources, ctx.method, ctx.path, ctx.URL.searchParams);
    return info === undefined ? next() : serveResource(service, ctx, info);
  });
  app.use(router.routes());
  app.use(() => {
    throw statusError(404, 'the server could not find the requested resource');
  });
  return app;
}

const answerErrors: Middleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    const status =
      error instanceof StatusError
        ? error.status
        : failure(500, error instanceof Error ? error.message : 'unknown error');
    sendStatus(ctx, status);
  }
};

function sendStatus(ctx: Context, status: Status): void {
  if (ctx.res.headersSent) {
    ctx.req.socket.destroy();
    return;
  }
  ctx.status = status.code;
  ctx.body = status;
  const retryAfterSeconds = status.details?.retryAfterSeconds;
  if (retryAfterSeconds !== undefined) ctx.set('retry-after', String(retryAfterSeconds));
}

/** GKE lets anyone ask these, and nobody anything else. */
const ANONYMOUS_PATHS = ['/healthz', '/livez', '/readyz'];

function authenticate(token: BearerToken): Middleware {
  return (ctx, next) => {
    if (ANONYMOUS_PATHS.includes(ctx.path) || token.accepts(ctx.get('authorization'))) return next();
    throw statusError(401, 'Unauthorized');
  };
}

function otherPaths(options: ApiServerOptions, service: ResourceService): Router {
  const router = new Router();
  for (const path of ANONYMOUS_PATHS) {
    router.get(path, (ctx) => {
      ctx.body = 'ok';
    });
  }
  router.get(
    '/version',
    answer(() => versionInfo(options.version)),
  );
  discoveryPaths(router, options.resources);
  simulatorPaths(router, service);
  return router;
}

function discoveryPaths(router: Router, resources: readonly Resource[]): void {
  router.get('/api', answer(coreVersions));
  router.get(
    '/apis',
    answer(() => groupList(resources)),
  );
  router.get(
    '/api/v1',
    answer(() => resourceList(resources, 'v1')),
  );
  router.get(
    '/apis/:group',
    answer(({ group = '' }) => apiGroup(resources, group)),
  );
  router.get(
    '/apis/:group/:version',
    answer(({ group, version }) => resourceList(resources, `${group}/${version}`)),
  );
}

/** What other processes do with a simulator: the calls that tests make in the process. */
function simulatorPaths(router: Router, { faults, requests, store }: ResourceService): void {
  router.post('/simulator/faults', async (ctx) => {
    const fault = v.safeParse(FAULT, await readJson(ctx.req));
    if (!fault.success) {
      const [issue] = fault.issues;
      throw statusError(400, `${v.getDotPath(issue) ?? 'fault'}: ${issue.message}`);
    }
    faults.add(fault.output);
    ctx.status = 204;
  });
  router.delete('/simulator/faults', (ctx) => {
    faults.clear();
    ctx.status = 204;
  });
  router.post('/simulator/compact', (ctx) => {
    store.compact();
    ctx.status = 204;
  });
  router.get('/simulator/requests', (ctx) => {
    ctx.body = requests.counts();
  });
}

function answer(body: (parameters: Record<string, string | undefined>) => object | undefined) {
  return (ctx: Context & { params: Record<string, string | undefined> }) => {
    const found = body(ctx.params);
    if (found === undefined) throw statusError(404, 'the server could not find the requested resource');
    ctx.body = found;
  };
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, host, resolve);
  await promise;
  // A TCP server that listens has an AddressInfo.
  const address = server.address() as AddressInfo;
  return `https://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}

async function close(server: Server, openWatches: ReadonlySet<OpenWatch>): Promise<void> {
  for (const watch of openWatches) watch.close();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  await promise;
}
