import { randomBytes } from 'node:crypto';
import { isJsonObject, type JsonObject, type KubernetesObject, type NewObject } from './object.ts';
import { keyOf, ObjectStore } from './object-store.ts';
import { applyPatch } from './patch.ts';
import type { RequestInfo } from './request-info.ts';
import { NAMESPACES, qualifiedName, type Resource } from './resource.ts';
import { type Status, statusError } from './status.ts';
import { parseSentObject, type SentObject, validateObject } from './validation.ts';

/** A request for one object, with what it carries. */
export interface ObjectRequest extends RequestInfo {
  readonly contentType: string;
  readonly body: unknown;
  /** Answers as if, and stores nothing. */
  readonly dryRun: boolean;
}

/** Throws a StatusError 404. */
export function getObject(store: ObjectStore, request: RequestInfo): KubernetesObject {
  const key = keyOf(request.name ?? '', request.namespace);
  const object = store.get(request.resource, key);
  if (object === undefined) throw notFound(request.resource, request.name ?? '');
  return object;
}

/** Throws a StatusError: 400, 404 (no such namespace), 409, 422. */
export function createObject(store: ObjectStore, request: ObjectRequest): KubernetesObject {
  const { resource, namespace } = request;
  const sent = parseSentObject(resource, request.body);
  const { generateName } = sent.metadata;
  const name =
    sent.metadata.name ??
    (generateName === undefined ? '' : generateName + randomBytes(3).toString('hex').slice(1));
  if (name === '')
    throw statusError(
      422,
      `${resource.kind} "" is invalid: metadata.name: Required value: name or generateName is required`,
    );
  if (namespace !== undefined && store.get(NAMESPACES, namespace) === undefined) {
    throw notFound(NAMESPACES, namespace);
  }
  if (sent.metadata.namespace !== undefined && sent.metadata.namespace !== namespace) {
    throw statusError(
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  const { resourceVersion: _version, uid: _uid, creationTimestamp: _time, ...metadata } = sent.metadata;
  const object = {
    ...sent,
    metadata: { ...metadata, name, ...(namespace === undefined ? {} : { namespace }) },
  };
  validateObject(resource, object.metadata, object);
  const scratch = request.dryRun ? new ObjectStore() : store;
  return scratch.create(resource, object as NewObject<KubernetesObject>);
}

/** Throws a StatusError: 400, 404, 409 (resourceVersion), 422. */
export function updateObject(store: ObjectStore, request: ObjectRequest): KubernetesObject {
  const current = getObject(store, request);
  const sent = parseSentObject(request.resource, request.body);
  if (sent.metadata.name !== undefined && sent.metadata.name !== current.metadata.name) {
    throw statusError(
      400,
      `the name of the object (${sent.metadata.name}) does not match the name on the URL (${request.name})`,
    );
  }
  return commit(store, request, current, sent);
}

/** Throws a StatusError: 400, 404, 409 (resourceVersion), 415, 422. */
export function patchObject(store: ObjectStore, request: ObjectRequest): KubernetesObject {
  const current = getObject(store, request);
  const patched = applyPatch(request.contentType, request.resource.kind, current, request.body);
  return commit(store, request, current, parseSentObject(request.resource, patched));
}

/** Throws a StatusError: 404, 409 (preconditions). */
export function deleteObject(store: ObjectStore, request: ObjectRequest): Status {
  const current = getObject(store, request);
  const preconditions = isJsonObject(request.body) ? request.body.preconditions : undefined;
  if (isJsonObject(preconditions)) {
    for (const field of ['uid', 'resourceVersion'] as const) {
      if (preconditions[field] !== undefined && preconditions[field] !== current.metadata[field]) {
        throw conflict(request.resource, current.metadata.name, 'the precondition does not hold');
      }
    }
  }
  const { name, uid } = current.metadata;
  if (!request.dryRun) store.delete(request.resource, keyOf(name, request.namespace));
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, kind: request.resource.plural, uid },
    code: 200,
  };
}

/** Stores a new state of an object, of which the client may change only a part. */
function commit(
  store: ObjectStore,
  request: ObjectRequest,
  current: KubernetesObject,
  sent: SentObject,
): KubernetesObject {
  const { resource } = request;
  const { name, namespace, resourceVersion, uid, creationTimestamp } = current.metadata;
  const expected = sent.metadata.resourceVersion;
  if (expected !== undefined && expected !== '' && expected !== resourceVersion) {
    throw conflict(
      resource,
      name,
      'the object has been modified; please apply your changes to the latest version and try again',
    );
  }
  const identity = {
    name,
    resourceVersion,
    uid,
    creationTimestamp,
    ...(namespace === undefined ? {} : { namespace }),
  };
  const next: JsonObject = {
    ...withWritableParts(request, current, sent),
    metadata: { ...sent.metadata, ...identity },
  };
  validateObject(resource, { ...sent.metadata, ...identity }, next);
  const scratch = request.dryRun ? new ObjectStore() : store;
  if (request.dryRun) scratch.create(resource, current);
  return scratch.update(resource, keyOf(name, namespace), (draft) => {
    for (const field of Object.keys(draft)) if (!(field in next)) delete draft[field];
    Object.assign(draft, next);
  });
}

/** A write of the object leaves its status alone, a write of its status everything else. */
function withWritableParts(request: ObjectRequest, current: KubernetesObject, sent: SentObject): JsonObject {
  if (!request.resource.status) return sent;
  const status = request.subresource === 'status' ? sent.status : current.status;
  const rest = request.subresource === 'status' ? { ...sent, spec: current.spec } : sent;
  return { ...rest, ...(status === undefined ? {} : { status }) };
}

function notFound(resource: Resource, name: string): Error {
  return statusError(404, `${qualifiedName(resource)} "${name}" not found`, {
    details: { name, kind: resource.plural },
  });
}

function conflict(resource: Resource, name: string, why: string): Error {
  return statusError(409, `Operation cannot be fulfilled on ${qualifiedName(resource)} "${name}": ${why}`, {
    details: { name, kind: resource.plural },
  });
}
