/** Metadata that every Kubernetes object carries (meta/v1 ObjectMeta), as JSON. */
interface ObjectMeta {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  /** RFC 3339, whole seconds. */
  creationTimestamp: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  [field: string]: unknown;
}

/** An object as the API server stores and sends it. Never changed in place: a change makes a new object. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** What a caller gives to create an object: the server adds the rest of the metadata. */
export type NewObject<T extends KubernetesObject> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & {
  apiVersion?: string;
  kind?: string;
  metadata: Partial<ObjectMeta> & { name: string };
};

export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A deep copy of JSON. Frozen parts are shared, not copied: that is how thousands of nodes can have one list of images.
 */
export function copyJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) return value.map(copyJson) as T;
  const copy: JsonObject = {};
  for (const [key, field] of Object.entries(value)) setField(copy, key, copyJson(field));
  return copy as T;
}

/** Sets a field even if it is called `__proto__`. */
export function setField(object: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** The value of a field that the object has itself; nothing is inherited. */
export function ownField(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The string values of metadata.labels; tests may have stored anything there. */
export function labelsOf(object: KubernetesObject): Readonly<Record<string, string>> {
  return isJsonObject(object.metadata.labels) ? object.metadata.labels : {};
}

/** A time as Kubernetes writes it: RFC 3339, UTC, whole seconds. */
export function kubernetesTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
