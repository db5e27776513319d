import { listItemJson, listJson, listMeta, type Page } from './list.ts';
import type { JsonObject, KubernetesObject } from './object.ts';
import { objectJson } from './object-json.ts';
import type { Resource } from './resource.ts';
import { statusError } from './status.ts';
import { type IncludeObject, partialObjectMetadata, type TableOptions, table } from './table.ts';

/** How the client wants objects: whole, as rows of a table, or as bare metadata. */
export type Representation =
  | { readonly as: 'object' }
  | ({ readonly as: 'table' } & TableOptions)
  | { readonly as: 'metadata'; readonly apiVersion: string };

const WHOLE: Representation = { as: 'object' };

/** Reads the Accept header in the client's order. Throws a StatusError 406 if nothing in it can be served. */
export function negotiate(accept: string | undefined, includeObject: string | null): Representation {
  if (accept === undefined || accept.trim() === '') return WHOLE;
  for (const range of accept.split(',')) {
    const chosen = representationOf(range, includeObject);
    if (chosen !== undefined) return chosen;
  }
  throw statusError(
    406,
    'only the following media types are accepted: application/json, application/json;as=Table;v=v1;g=meta.k8s.io',
  );
}

function representationOf(range: string, includeObject: string | null): Representation | undefined {
  const [type = '', ...rest] = range.split(';').map((part) => part.trim());
  if (type !== 'application/json' && type !== 'application/*' && type !== '*/*') return undefined;
  const parameters = new Map(rest.map((part) => part.split('=', 2) as [string, string]));
  const as = parameters.get('as');
  if (as === undefined) return WHOLE;
  const version = parameters.get('v');
  if (parameters.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return undefined;
  const apiVersion = `meta.k8s.io/${version}`;
  if (as === 'Table') return { as: 'table', apiVersion, includeObject: parseIncludeObject(includeObject) };
  return as.startsWith('PartialObjectMetadata') ? { as: 'metadata', apiVersion } : undefined;
}

function parseIncludeObject(text: string | null): IncludeObject {
  if (text === 'None' || text === 'Object') return text;
  if (text === null || text === '' || text === 'Metadata') return 'Metadata';
  throw statusError(400, `unsupported includeObject value "${text}"`);
}

/** The text of one object. */
export function representObject(resource: Resource, object: KubernetesObject, how: Representation): string {
  switch (how.as) {
    case 'object':
      return objectJson(object);
    case 'table':
      return JSON.stringify(
        table(resource, [object], { resourceVersion: object.metadata.resourceVersion }, how),
      );
    case 'metadata':
      return JSON.stringify(partialObjectMetadata(object, how.apiVersion));
    default:
      return how satisfies never;
  }
}

/** The text of a page of a list, in chunks. */
export function representPage(resource: Resource, page: Page, how: Representation): Iterable<string> {
  switch (how.as) {
    case 'object':
      return listJson(resource, page, (object) => listItemJson(resource, object));
    case 'table':
      return [JSON.stringify(table(resource, page.items, listMeta(page), how))];
    case 'metadata':
      return [
        JSON.stringify({
          kind: 'PartialObjectMetadataList',
          apiVersion: how.apiVersion,
          metadata: listMeta(page),
          items: page.items.map((object) => partialObjectMetadata(object, how.apiVersion)),
        }),
      ];
    default:
      return how satisfies never;
  }
}

/** The text of an event's object in a watch. Only the first table of a stream says what its columns are. */
export function representEventObject(
  resource: Resource,
  object: KubernetesObject,
  how: Representation,
  first: boolean,
): string {
  if (how.as !== 'table' || first) return representObject(resource, object, how);
  const rows: JsonObject = table(
    resource,
    [object],
    { resourceVersion: object.metadata.resourceVersion },
    how,
  );
  return JSON.stringify({ ...rows, columnDefinitions: null });
}
