import * as v from 'valibot';
import type { KubernetesObject } from './object.ts';
import { objectJson } from './object-json.ts';
import type { ObjectStore, Snapshot } from './object-store.ts';
import { apiVersionOf, type Resource } from './resource.ts';
import type { Selector } from './selector.ts';
import { statusError } from './status.ts';

export interface ListOptions {
  readonly namespace: string | undefined;
  readonly selector: Selector;
  /** Whether the client gave a selector: then the number of remaining items is not told. */
  readonly selective: boolean;
  /** 0: no limit. */
  readonly limit: number;
  readonly continueToken: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly resourceVersionMatch: string | undefined;
}

/** One page of a list, as of one revision. */
export interface Page {
  readonly revision: number;
  readonly items: readonly KubernetesObject[];
  readonly continueToken: string | undefined;
  readonly remainingItemCount: number | undefined;
}

/** What a continue token says; only the page number is not Kubernetes' own. */
const TOKEN = v.object({
  v: v.literal('meta.k8s.io/v1'),
  /** Revision of the first page; -1: go on with whatever is there now. */
  rv: v.number(),
  /** Key of the last item sent. */
  start: v.string(),
  page: v.number(),
});
type Token = v.InferOutput<typeof TOKEN>;

const EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the ' +
  'continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with ' +
  'the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the ' +
  'first chunk was returned and now may show up in the list.';

/** Throws a StatusError: 400 for parameters that contradict each other, 410 for a revision that is compacted, 504 for one to come. */
export function listPage(store: ObjectStore, resource: Resource, options: ListOptions): Page {
  const token = options.continueToken === undefined ? undefined : decodeToken(options.continueToken);
  const revision = token === undefined ? startRevision(store, options) : tokenRevision(store, options, token);
  const { items, left, last } = collect(store.snapshot(resource, revision), token?.start, options);
  if (left === 0) return { revision, items, continueToken: undefined, remainingItemCount: undefined };
  return {
    revision,
    items,
    continueToken: encodeToken({
      v: 'meta.k8s.io/v1',
      rv: revision,
      start: last,
      page: (token?.page ?? 1) + 1,
    }),
    remainingItemCount: options.selective ? undefined : left,
  };
}

interface Collected {
  readonly items: readonly KubernetesObject[];
  /** Key of the last item. */
  readonly last: string;
  /** How many keys come after it. */
  readonly left: number;
}

function collect(snapshot: Snapshot, start: string | undefined, options: ListOptions): Collected {
  const prefix = options.namespace === undefined ? '' : `${options.namespace}/`;
  const keys = snapshot.keys.slice(start === undefined ? 0 : firstAfter(snapshot.keys, start));
  // Revision 0 is served from the watch cache, which knows no pages.
  const limit = options.limit > 0 && options.resourceVersion !== '0' ? options.limit : keys.length;
  const items: KubernetesObject[] = [];
  let last = '';
  let seen = 0;
  for (const key of keys) {
    if (items.length >= limit) break;
    seen += 1;
    const object = key.startsWith(prefix) ? snapshot.get(key) : undefined;
    if (object === undefined || !options.selector(object)) continue;
    items.push(object);
    last = key;
  }
  return { items, last, left: keys.slice(seen).filter((key) => key.startsWith(prefix)).length };
}

/** Number of the page that a continue token asks for, from 1. */
export function pageNumber(continueToken: string | undefined): number {
  if (continueToken === undefined) return 1;
  try {
    return decodeToken(continueToken).page;
  } catch {
    return 1;
  }
}

function startRevision(store: ObjectStore, options: ListOptions): number {
  const { resourceVersion, resourceVersionMatch: match, limit } = options;
  if (match !== undefined && resourceVersion === undefined) {
    throw statusError(422, 'resourceVersionMatch is forbidden unless resourceVersion is provided');
  }
  const revision = parseRevision(resourceVersion);
  if (revision > store.revision) {
    throw statusError(504, `Too large resource version: ${revision}, current: ${store.revision}`, {
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
    });
  }
  // Without resourceVersionMatch, a list with a limit is exact and one without is at least as new.
  const exact = match === 'Exact' || (match === undefined && limit > 0);
  return revision > 0 && exact ? revision : store.revision;
}

function tokenRevision(store: ObjectStore, options: ListOptions, token: Token): number {
  if (options.resourceVersion !== undefined && options.resourceVersion !== '0') {
    throw statusError(400, 'specifying resource version is not allowed when using continue');
  }
  if (token.rv < 0) return store.revision;
  if (token.rv < store.compactedRevision) {
    throw statusError(410, EXPIRED, { continueToken: encodeToken({ ...token, rv: -1 }) });
  }
  return token.rv;
}

/** Reads a resourceVersion; none is 0. Throws a StatusError 400. */
export function parseRevision(text: string | undefined): number {
  if (text === undefined || text === '') return 0;
  if (!/^\d{1,15}$/u.test(text)) throw statusError(400, `invalid resource version "${text}"`);
  return Number(text);
}

function encodeToken(token: Token): string {
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

function decodeToken(text: string): Token {
  try {
    return v.parse(TOKEN, JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch (error) {
    throw statusError(400, 'continue key is not valid', { cause: error });
  }
}

function firstAfter(keys: readonly string[], start: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((keys[middle] ?? '') <= start) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Metadata of a list (meta/v1 ListMeta). */
export function listMeta(page: Page): Record<string, unknown> {
  return {
    resourceVersion: String(page.revision),
    ...(page.continueToken === undefined ? {} : { continue: page.continueToken }),
    ...(page.remainingItemCount === undefined ? {} : { remainingItemCount: page.remainingItemCount }),
  };
}

/** Items of a chunk of text: a list of 65,000 nodes is longer than the longest string. */
const ITEMS_OF_A_CHUNK = 250;

/** The text of a list in chunks. Items carry no apiVersion and kind, as in a list of the real server. */
export function* listJson(
  resource: Resource,
  page: Page,
  itemJson: (object: KubernetesObject) => string,
): Generator<string> {
  const { kind } = resource;
  const head = { kind: `${kind}List`, apiVersion: apiVersionOf(resource), metadata: listMeta(page) };
  let text = `${JSON.stringify(head).slice(0, -1)},"items":[`;
  for (const [index, item] of page.items.entries()) {
    if (index > 0) text += ',';
    text += itemJson(item);
    if (index % ITEMS_OF_A_CHUNK === ITEMS_OF_A_CHUNK - 1) {
      yield text;
      text = '';
    }
  }
  yield `${text}]}\n`;
}

/** The JSON of an item of a list. */
export function listItemJson(resource: Resource, object: KubernetesObject): string {
  const text = objectJson(object);
  const typeMeta = `{"apiVersion":"${apiVersionOf(resource)}","kind":"${resource.kind}",`;
  return text.startsWith(typeMeta) ? `{${text.slice(typeMeta.length)}` : text;
}
