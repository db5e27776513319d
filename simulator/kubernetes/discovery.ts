import type { JsonObject } from './object.ts';
import { apiVersionOf, type Resource } from './resource.ts';

const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
const STATUS_VERBS = ['get', 'patch', 'update'];

/** Answer of `/api` (meta/v1 APIVersions). */
export function coreVersions(): JsonObject {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
}

/** Answer of `/apis` (meta/v1 APIGroupList). */
export function groupList(resources: readonly Resource[]): JsonObject {
  const groups = [...new Set(resources.map(({ group }) => group))].filter((group) => group !== '');
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map((group) => groupOf(resources, group)) };
}

/** Answer of `/apis/GROUP` (meta/v1 APIGroup). */
export function apiGroup(resources: readonly Resource[], group: string): JsonObject | undefined {
  if (group === '' || !resources.some((one) => one.group === group)) return undefined;
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(resources, group) };
}

function groupOf(resources: readonly Resource[], group: string): JsonObject {
  const versions = new Set(resources.filter((one) => one.group === group).map(({ version }) => version));
  const list = [...versions].map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: list, preferredVersion: list[0] };
}

/** Answer of `/api/v1` and `/apis/GROUP/VERSION` (meta/v1 APIResourceList). */
export function resourceList(resources: readonly Resource[], groupVersion: string): JsonObject | undefined {
  const served = resources.filter((resource) => apiVersionOf(resource) === groupVersion);
  if (served.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion,
    resources: served.flatMap((resource) => [
      entry(resource, resource.plural, VERBS),
      ...(resource.status ? [entry(resource, `${resource.plural}/status`, STATUS_VERBS)] : []),
    ]),
  };
}

function entry(resource: Resource, name: string, verbs: readonly string[]): JsonObject {
  const { singular, namespaced, kind, shortNames } = resource;
  const main = name === resource.plural;
  return {
    name,
    singularName: main ? singular : '',
    namespaced,
    kind,
    verbs,
    ...(main && shortNames.length > 0 ? { shortNames } : {}),
  };
}

/** Answer of `/version` for a version such as `v1.35.6-gke.1234000`. kubectl's dispatcher of GKE chooses by it. */
export function versionInfo(gitVersion: string): JsonObject {
  const [, major = '1', minor = '0'] = /^v(\d+)\.(\d+)/u.exec(gitVersion) ?? [];
  return {
    major,
    minor,
    gitVersion,
    gitCommit: '0000000000000000000000000000000000000000',
    gitTreeState: 'clean',
    buildDate: '2026-01-01T00:00:00Z',
    goVersion: 'go1.25.0 X:boringcrypto',
    compiler: 'gc',
    platform: 'linux/amd64',
  };
}
