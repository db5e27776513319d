import type { Resource } from './resource.ts';

/** What a client may do with a resource; the words of Kubernetes' RBAC. */
export const VERBS = ['list', 'watch', 'get', 'create', 'update', 'patch', 'delete'] as const;
export type Verb = (typeof VERBS)[number];

/** What a request of the Kubernetes API asks for. */
export interface RequestInfo {
  readonly verb: Verb;
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** Reads method, path and query as the API server does; undefined if the path is none of a served resource. */
export function requestInfo(
  resources: readonly Resource[],
  method: string,
  path: string,
  query: URLSearchParams,
): RequestInfo | undefined {
  const located = locate(path);
  if (located === undefined) return undefined;
  const { group, version, namespace, plural, name, subresource } = located;
  const resource = resources.find(
    (one) => one.group === group && one.version === version && one.plural === plural,
  );
  const verb = verbOf(method, name, query);
  if (resource === undefined || verb === undefined) return undefined;
  const scopeFits =
    namespace === undefined ? name === undefined || !resource.namespaced : resource.namespaced;
  const subresourceFits = subresource === undefined || (subresource === 'status' && resource.status);
  return scopeFits && subresourceFits ? { verb, resource, namespace, name, subresource } : undefined;
}

/** The parts of a path: `/api/v1/…` or `/apis/GROUP/VERSION/…`, perhaps `namespaces/NAMESPACE`, then up to three more. */
function locate(path: string) {
  const [root, ...parts] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  if (root !== 'api' && root !== 'apis') return undefined;
  const [group, version, ...rest] = root === 'api' ? ['', ...parts] : parts;
  // `namespaces/x` is the object x, `namespaces/x/pods` is a list in it.
  const inNamespace = rest[0] === 'namespaces' && rest.length > 2 && rest[2] !== 'status';
  const [plural, name, subresource, ...more] = inNamespace ? rest.slice(2) : rest;
  if (more.length > 0) return undefined;
  return { group, version, namespace: inNamespace ? rest[1] : undefined, plural, name, subresource };
}

function verbOf(method: string, name: string | undefined, query: URLSearchParams): Verb | undefined {
  switch (method) {
    case 'GET':
      if (name !== undefined) return 'get';
      return isTrue(query.get('watch')) ? 'watch' : 'list';
    case 'POST':
      return name === undefined ? 'create' : undefined;
    case 'PUT':
      return name === undefined ? undefined : 'update';
    case 'PATCH':
      return name === undefined ? undefined : 'patch';
    case 'DELETE':
      return name === undefined ? undefined : 'delete';
    default:
      return undefined;
  }
}

/** A boolean of a query, as Go's strconv.ParseBool reads it. */
export function isTrue(value: string | null): boolean {
  return value !== null && ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
