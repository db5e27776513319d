import { isDeepStrictEqual } from 'node:util';
import { copyJson, isJsonObject, type JsonObject, ownField, setField } from './object.ts';
import { statusError } from './status.ts';

/**
 * How lists merge, by their path in the object: by the items' key, or as sets of plain values. All other lists are replaced.
 * From the patchStrategy and patchMergeKey tags of the Kubernetes API types (core/v1 and meta/v1). spec.taints of a Node has
 * none: it is replaced.
 */
const COMMON: Readonly<Record<string, string>> = {
  'metadata.finalizers': 'set',
  'metadata.ownerReferences': 'uid',
};
const MERGED_LISTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Node: {
    ...COMMON,
    'spec.podCIDRs': 'set',
    'status.addresses': 'type',
    'status.conditions': 'type',
  },
  Pod: {
    ...COMMON,
    'spec.containers': 'name',
    'spec.volumes': 'name',
    'spec.imagePullSecrets': 'name',
    'status.conditions': 'type',
  },
  Namespace: { ...COMMON, 'status.conditions': 'type' },
};

const SET_ELEMENT_ORDER = '$setElementOrder/';
const DELETE_FROM_PRIMITIVE_LIST = '$deleteFromPrimitiveList/';

/** Applies a strategic merge patch (Kubernetes' own kind of patch) to a copy. Throws a StatusError 400 on a bad directive. */
export function strategicMergePatch(kind: string, target: JsonObject, patch: JsonObject): JsonObject {
  const lists = MERGED_LISTS[kind] ?? COMMON;
  return mergeMaps(copyJson(target), patch, '', lists);
}

type Lists = Readonly<Record<string, string>>;

function mergeMaps(target: JsonObject, patch: JsonObject, path: string, lists: Lists): JsonObject {
  const directive = ownField(patch, '$patch');
  if (directive === 'replace') return withoutDirectives(patch);
  if (directive === 'delete') return {};
  if (directive !== undefined && directive !== 'merge') throw badDirective(directive);
  retainKeys(target, patch);
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) continue;
    const current = ownField(target, key);
    const below = path === '' ? key : `${path}.${key}`;
    if (value === null) delete target[key];
    else setField(target, key, mergeValues(current, value, below, lists));
  }
  deleteFromPrimitiveLists(target, patch);
  setElementOrders(target, patch, path, lists);
  return target;
}

function mergeValues(current: unknown, value: unknown, path: string, lists: Lists): unknown {
  const mergeKey = lists[path];
  if (Array.isArray(value)) {
    if (mergeKey === undefined) return copyJson(value);
    const list = Array.isArray(current) ? [...current] : [];
    return mergeKey === 'set' ? union(list, value) : mergeLists(list, value, { key: mergeKey, path, lists });
  }
  if (isJsonObject(value)) return mergeMaps(isJsonObject(current) ? current : {}, value, path, lists);
  return value;
}

function union(list: unknown[], values: readonly unknown[]): unknown[] {
  return [...new Set([...list, ...values])];
}

/** The list that merges, and the key of its items. */
interface KeyedList {
  readonly key: string;
  readonly path: string;
  readonly lists: Lists;
}

function mergeLists(list: unknown[], patch: readonly unknown[], keyed: KeyedList): unknown[] {
  const { key, path } = keyed;
  const items = patch.filter(isJsonObject);
  if (items.length !== patch.length) throw statusError(400, `${path}: items must be objects with ${key}`);
  const replaces = items.some((item) => item.$patch === 'replace' && !Object.hasOwn(item, key));
  if (replaces) return items.filter((item) => item.$patch === undefined).map(copyJson);
  return items.reduce((result, item) => mergeItem(result, item, keyed), list);
}

function mergeItem(list: unknown[], item: JsonObject, { key, path, lists }: KeyedList): unknown[] {
  const id = ownField(item, key);
  if (id === undefined) {
    throw statusError(400, `${path}: map does not contain declared merge key: ${key}`);
  }
  const at = list.findIndex((other) => isJsonObject(other) && other[key] === id);
  if (item.$patch === 'delete') return list.filter((_, index) => index !== at);
  const merged = mergeMaps(at < 0 ? {} : (list[at] as JsonObject), item, `${path}[]`, lists);
  return at < 0 ? [...list, merged] : list.with(at, merged);
}

function withoutDirectives(patch: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(patch)
      .filter(([key]) => !key.startsWith('$'))
      .map(([key, value]) => [key, copyJson(value)]),
  );
}

function retainKeys(target: JsonObject, patch: JsonObject): void {
  const retained = ownField(patch, '$retainKeys');
  if (!Array.isArray(retained)) return;
  for (const key of Object.keys(target)) if (!retained.includes(key)) delete target[key];
}

function deleteFromPrimitiveLists(target: JsonObject, patch: JsonObject): void {
  for (const [key, values] of directives(patch, DELETE_FROM_PRIMITIVE_LIST)) {
    const list = ownField(target, key);
    if (Array.isArray(list)) target[key] = list.filter((value) => !values.includes(value));
  }
}

function setElementOrders(target: JsonObject, patch: JsonObject, path: string, lists: Lists): void {
  for (const [key, order] of directives(patch, SET_ELEMENT_ORDER)) {
    const list = ownField(target, key);
    const mergeKey = lists[path === '' ? key : `${path}.${key}`];
    if (!Array.isArray(list) || mergeKey === undefined) continue;
    const place = (item: unknown) => {
      const wanted = order.findIndex((one) =>
        isJsonObject(one) && isJsonObject(item)
          ? one[mergeKey] === item[mergeKey]
          : isDeepStrictEqual(one, item),
      );
      return wanted < 0 ? order.length : wanted;
    };
    target[key] = list.toSorted((one, other) => place(one) - place(other));
  }
}

function directives(patch: JsonObject, prefix: string): [string, unknown[]][] {
  return Object.entries(patch).flatMap(([key, value]): [string, unknown[]][] =>
    key.startsWith(prefix) && Array.isArray(value) ? [[key.slice(prefix.length), value]] : [],
  );
}

function badDirective(directive: unknown): Error {
  return statusError(400, `unknown $patch directive: ${JSON.stringify(directive)}`);
}
