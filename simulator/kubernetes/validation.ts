import * as v from 'valibot';
import { isJsonObject, type JsonObject } from './object.ts';
import type { Resource } from './resource.ts';
import { type StatusDetails, statusError } from './status.ts';

/** Texts and expressions of apimachinery's validation: kubectl shows them as they are. */
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/u;
const LABEL_VALUE_MESSAGE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with " +
  "an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const NAME_PART = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/u;
const NAME_PART_MESSAGE =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/u;
const SUBDOMAIN_MESSAGE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with " +
  "an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LONGEST = 63;
const LONGEST_SUBDOMAIN = 253;
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

const STRING_MAP = v.optional(v.record(v.string(), v.string()));
const SENT_OBJECT = v.looseObject({
  apiVersion: v.optional(v.string()),
  kind: v.optional(v.string()),
  metadata: v.looseObject({
    name: v.optional(v.string()),
    generateName: v.optional(v.string()),
    namespace: v.optional(v.string()),
    resourceVersion: v.optional(v.string()),
    uid: v.optional(v.string()),
    labels: STRING_MAP,
    annotations: STRING_MAP,
  }),
});

/** An object as a client sends it. */
export type SentObject = v.InferOutput<typeof SENT_OBJECT>;

/** Metadata of it that has a name by now. */
export type SentMetadata = SentObject['metadata'] & { readonly name: string };

/** Reads the body of a request. Throws a StatusError 400 if it cannot be an object of this resource. */
export function parseSentObject(resource: Resource, body: unknown): SentObject {
  const parsed = v.safeParse(SENT_OBJECT, body);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const path = v.getDotPath(issue) ?? 'body';
    throw statusError(
      400,
      `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: ${path}: ${issue.message}`,
    );
  }
  const { kind } = parsed.output;
  if (kind !== undefined && kind !== resource.kind) {
    throw statusError(
      400,
      `the kind of the object (${kind}) does not match the expected kind (${resource.kind})`,
    );
  }
  return parsed.output;
}

interface Cause {
  readonly field: string;
  readonly reason: 'FieldValueInvalid' | 'FieldValueNotSupported';
  readonly message: string;
}

/** Throws a StatusError 422 that names every invalid field, as the API server does. */
export function validateObject(resource: Resource, metadata: SentMetadata, object: JsonObject): void {
  const { name } = metadata;
  const causes = [
    ...nameCauses(name),
    ...mapCauses('metadata.labels', metadata.labels, true),
    ...mapCauses('metadata.annotations', metadata.annotations, false),
    ...(resource.kind === 'Node' ? taintCauses(object) : []),
  ];
  if (causes.length === 0) return;
  const texts = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const details: StatusDetails = { name, kind: resource.kind, causes };
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  throw statusError(422, `${resource.kind} "${name}" is invalid: ${list}`, { details });
}

function invalid(field: string, value: unknown, why: string): Cause {
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: ${why}` };
}

function nameCauses(name: string): Cause[] {
  if (name.length > LONGEST_SUBDOMAIN) {
    return [invalid('metadata.name', name, `must be no more than ${LONGEST_SUBDOMAIN} bytes`)];
  }
  return SUBDOMAIN.test(name) ? [] : [invalid('metadata.name', name, SUBDOMAIN_MESSAGE)];
}

function mapCauses(field: string, map: Record<string, string> | undefined, values: boolean): Cause[] {
  return Object.entries(map ?? {}).flatMap(([key, value]) => [
    ...keyCauses(field, key),
    ...(values ? labelValueCauses(field, value) : []),
  ]);
}

function keyCauses(field: string, key: string): Cause[] {
  const [name = '', prefix, ...more] = key.split('/').reverse();
  if (more.length > 0 || name === '')
    return [invalid(field, key, 'a valid label key has one name and at most one prefix')];
  if (prefix !== undefined && !SUBDOMAIN.test(prefix))
    return [invalid(field, key, `prefix part ${SUBDOMAIN_MESSAGE}`)];
  if (name.length > LONGEST) return [invalid(field, key, `name part must be no more than ${LONGEST} bytes`)];
  return NAME_PART.test(name) ? [] : [invalid(field, key, NAME_PART_MESSAGE)];
}

function labelValueCauses(field: string, value: string): Cause[] {
  if (value.length > LONGEST) return [invalid(field, value, `must be no more than ${LONGEST} bytes`)];
  return LABEL_VALUE.test(value) ? [] : [invalid(field, value, LABEL_VALUE_MESSAGE)];
}

function taintCauses(object: JsonObject): Cause[] {
  const { spec } = object;
  const taints = isJsonObject(spec) && Array.isArray(spec.taints) ? spec.taints : [];
  return taints.flatMap((taint: unknown, index) => {
    const field = `spec.taints[${index}]`;
    if (!isJsonObject(taint)) return [invalid(field, taint, 'must be an object')];
    return [...taintKeyCauses(field, taint), ...effectCauses(`${field}.effect`, taint)];
  });
}

function taintKeyCauses(field: string, { key, value }: JsonObject): Cause[] {
  return [
    ...(typeof key === 'string'
      ? keyCauses(`${field}.key`, key)
      : [invalid(`${field}.key`, key, 'must be a string')]),
    ...(typeof value === 'string' ? labelValueCauses(`${field}.value`, value) : []),
  ];
}

function effectCauses(field: string, { effect }: JsonObject): Cause[] {
  if (typeof effect === 'string' && EFFECTS.includes(effect)) return [];
  const supported = EFFECTS.map((one) => `"${one}"`).join(', ');
  return [
    {
      field,
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${JSON.stringify(effect)}: supported values: ${supported}`,
    },
  ];
}
