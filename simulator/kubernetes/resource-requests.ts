import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from 'koa';
import { type AnswerFault, type Faults, isWatchFault, type WatchFault } from './fault.ts';
import { type ListOptions, listPage, type Page, pageNumber, parseRevision } from './list.ts';
import type { KubernetesObject } from './object.ts';
import {
  createObject,
  deleteObject,
  getObject,
  type ObjectRequest,
  patchObject,
  updateObject,
} from './object-requests.ts';
import type { ObjectStore } from './object-store.ts';
import { negotiate, type Representation, representObject, representPage } from './representation.ts';
import { readJson } from './request-body.ts';
import { isTrue, type RequestInfo } from './request-info.ts';
import type { RequestLog, SeenRequest } from './request-log.ts';
import { qualifiedName } from './resource.ts';
import { both, EVERYTHING, fieldSelector, labelSelector } from './selector.ts';
import { failure, StatusError, statusError } from './status.ts';
import { OpenWatch } from './watch.ts';

/** How a watch from a compacted revision is refused: by the HTTP status, or as the real server's watch cache does. */
export type ExpiredWatch = 'status' | 'error event';

/** What the requests for resources work with. */
export interface ResourceService {
  readonly store: ObjectStore;
  readonly faults: Faults;
  readonly requests: RequestLog;
  readonly openWatches: Set<OpenWatch>;
  readonly bookmarkIntervalMs: number;
  readonly expiredWatch: () => ExpiredWatch;
}

/** The real server's time-out of a watch that asks for none is between these. */
const SHORTEST_WATCH_MS = 1_800_000;

/** Answers a request for a resource. Throws a StatusError, which is the answer then. */
export async function serveResource(
  service: ResourceService,
  ctx: Context,
  info: RequestInfo,
): Promise<void> {
  const query = ctx.URL.searchParams;
  const page = info.verb === 'list' ? pageNumber(query.get('continue') ?? undefined) : undefined;
  const { verb, resource, name } = info;
  const faults = service.faults.take({ verb, resource: resource.plural, page, name });
  const seen = (code: number | undefined): SeenRequest => ({
    kind: `${verb} ${qualifiedName(resource)}`,
    url: ctx.url,
    name,
    page,
    userAgent: ctx.get('user-agent'),
    code,
  });
  try {
    for (const fault of faults) {
      if (!isWatchFault(fault) && (await answeredByFault(ctx, fault))) {
        service.requests.answered(seen(fault.kind === 'reset' ? undefined : 200));
        return;
      }
    }
    if (verb === 'watch') {
      serveWatch(service, ctx, info, { faults: faults.filter(isWatchFault), seen });
      return;
    }
    await serveAnswer(
      service,
      ctx,
      info,
      faults.some(({ kind }) => kind === 'items without metadata'),
    );
    service.requests.answered(seen(ctx.status));
  } catch (error) {
    service.requests.answered(seen(error instanceof StatusError ? error.status.code : 500));
    throw error;
  }
}

async function answeredByFault(ctx: Context, fault: AnswerFault): Promise<boolean> {
  switch (fault.kind) {
    case 'status':
      throw new StatusError(
        failure(fault.code, fault.message ?? `simulated error ${fault.code}`, {
          ...(fault.reason === undefined ? {} : { reason: fault.reason }),
          ...(fault.retryAfterSeconds === undefined
            ? {}
            : { details: { retryAfterSeconds: fault.retryAfterSeconds } }),
        }),
      );
    case 'reset':
      reset(ctx, fault.when === 'while answering');
      return true;
    case 'delay':
      await delay(fault.milliseconds);
      return false;
    case 'text':
      ctx.type = fault.contentType ?? 'text/html';
      ctx.body = fault.text;
      return true;
    case 'items without metadata':
      return false;
    default:
      return fault satisfies never;
  }
}

function reset(ctx: Context, whileAnswering: boolean): void {
  ctx.respond = false;
  if (!whileAnswering) {
    ctx.req.socket.destroy();
    return;
  }
  ctx.res.writeHead(200, { 'content-type': 'application/json' });
  ctx.res.write('{"kind":"List","apiVersion":"v1","metadata":{"resourceVers', () => ctx.req.socket.destroy());
}

async function serveAnswer(
  service: ResourceService,
  ctx: Context,
  info: RequestInfo,
  withoutMetadata: boolean,
): Promise<void> {
  const { store } = service;
  const { resource } = info;
  const how = negotiate(ctx.get('accept'), ctx.URL.searchParams.get('includeObject'));
  if (info.verb === 'list') {
    const page = listPage(store, resource, listOptions(ctx, info));
    sendJson(ctx, Readable.from(representPage(resource, withoutMetadata ? bare(page) : page, how)));
    return;
  }
  if (info.verb === 'get') {
    sendJson(ctx, representObject(resource, getObject(store, info), how));
    return;
  }
  const request = await objectRequest(ctx, info);
  if (info.verb === 'delete') {
    sendJson(ctx, JSON.stringify(deleteObject(store, request)));
    return;
  }
  const object = write(store, request);
  if (info.verb === 'create') ctx.status = 201;
  sendJson(ctx, representObject(resource, object, how));
}

function write(store: ObjectStore, request: ObjectRequest): KubernetesObject {
  switch (request.verb) {
    case 'create':
      return createObject(store, request);
    case 'update':
      return updateObject(store, request);
    case 'patch':
      return patchObject(store, request);
    default:
      throw statusError(405, 'the server does not allow this method on the requested resource');
  }
}

async function objectRequest(ctx: Context, info: RequestInfo): Promise<ObjectRequest> {
  const contentType = (ctx.get('content-type').split(';')[0] ?? '').trim();
  const body = await readJson(ctx.req);
  if (
    info.verb !== 'patch' &&
    body !== undefined &&
    contentType !== '' &&
    contentType !== 'application/json'
  ) {
    throw statusError(
      415,
      'the body of the request was in an unknown format - accepted media types include: application/json',
    );
  }
  return { ...info, contentType, body, dryRun: ctx.URL.searchParams.get('dryRun') === 'All' };
}

function sendJson(ctx: Context, body: string | Readable): void {
  ctx.body = body;
  ctx.type = 'application/json';
}

function bare(page: Page): Page {
  const items = page.items.map(({ metadata: _metadata, ...rest }) => rest as KubernetesObject);
  return { ...page, items };
}

function listOptions(ctx: Context, info: RequestInfo): ListOptions {
  const parameter = (name: string) => ctx.URL.searchParams.get(name) || undefined;
  return {
    ...selection(ctx, info),
    limit: wholeNumber('limit', parameter('limit')),
    continueToken: parameter('continue'),
    resourceVersion: parameter('resourceVersion'),
    resourceVersionMatch: parameter('resourceVersionMatch'),
  };
}

function selection(ctx: Context, { resource, namespace }: RequestInfo) {
  const query = ctx.URL.searchParams;
  const selector = both(
    labelSelector(query.get('labelSelector') ?? undefined),
    fieldSelector(resource, query.get('fieldSelector') ?? undefined),
  );
  return { namespace, selector, selective: selector !== EVERYTHING };
}

function wholeNumber(name: string, text: string | undefined): number {
  if (text === undefined) return 0;
  if (!/^\d{1,9}$/u.test(text)) throw statusError(400, `invalid value for ${name}: "${text}"`);
  return Number(text);
}

interface WatchDetails {
  readonly faults: readonly WatchFault[];
  readonly seen: (code: number) => SeenRequest;
}

function serveWatch(service: ResourceService, ctx: Context, info: RequestInfo, details: WatchDetails): void {
  const { store, openWatches } = service;
  const query = ctx.URL.searchParams;
  if (isTrue(query.get('sendInitialEvents'))) {
    throw statusError(
      422,
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
    );
  }
  const representation: Representation = negotiate(ctx.get('accept'), query.get('includeObject'));
  const from = parseRevision(query.get('resourceVersion') ?? undefined);
  const timeoutSeconds = wholeNumber('timeoutSeconds', query.get('timeoutSeconds') || undefined);
  const { namespace, selector } = selection(ctx, info);
  const expired = from > 0 && from < store.compactedRevision;
  const tooOld = failure(410, `too old resource version: ${from} (${store.compactedRevision})`);
  if (expired && service.expiredWatch() === 'status') throw new StatusError(tooOld);
  const watch = new OpenWatch(info.resource, openStream(ctx), {
    revision: from === 0 ? undefined : from,
    namespace,
    selector,
    representation,
    bookmarkIntervalMs: isTrue(query.get('allowWatchBookmarks')) ? service.bookmarkIntervalMs : undefined,
    timeoutMs: timeoutSeconds === 0 ? SHORTEST_WATCH_MS * (1 + Math.random()) : timeoutSeconds * 1000,
  });
  const end = service.requests.watchBegan(details.seen(200));
  openWatches.add(watch);
  ctx.res.once('close', () => {
    watch.close();
    openWatches.delete(watch);
    end();
  });
  if (expired) watch.fail(tooOld);
  else {
    for (const fault of details.faults) watch.strike(fault);
    watch.begin(store);
  }
}

function openStream(ctx: Context) {
  ctx.respond = false;
  const { res, req } = ctx;
  // A client that goes while we write is no error.
  res.on('error', () => undefined);
  res.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
  res.flushHeaders();
  return {
    write: (text: string) => {
      res.write(text);
    },
    end: () => {
      res.end();
    },
    cut: () => {
      // Resolves when what was written has left; an empty write alone would not wait for it.
      res.write('', () => req.socket.destroySoon());
    },
  };
}
