import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { copyJson, isJsonObject, setField } from './object.ts';
import { statusError } from './status.ts';

const POINTER = v.pipe(v.string(), v.regex(/^(?:\/.*)?$/su));
const OPERATIONS = v.array(
  v.variant('op', [
    v.object({ op: v.literal('add'), path: POINTER, value: v.unknown() }),
    v.object({ op: v.literal('replace'), path: POINTER, value: v.unknown() }),
    v.object({ op: v.literal('test'), path: POINTER, value: v.unknown() }),
    v.object({ op: v.literal('remove'), path: POINTER }),
    v.object({ op: v.literal('move'), path: POINTER, from: POINTER }),
    v.object({ op: v.literal('copy'), path: POINTER, from: POINTER }),
  ]),
);
type Operation = v.InferOutput<typeof OPERATIONS>[number];

/**
 * Applies a JSON patch (RFC 6902) to a copy. Throws a StatusError: 400 for a patch that is none, 422 for one that does not
 * fit, as the API server does.
 */
export function jsonPatch(target: unknown, patch: unknown): unknown {
  const parsed = v.safeParse(OPERATIONS, patch);
  if (!parsed.success) throw statusError(400, `error decoding patch: ${parsed.issues[0].message}`);
  const root = { document: copyJson(target) };
  for (const operation of parsed.output) applyOperation(root, operation);
  return root.document;
}

interface Root {
  document: unknown;
}

function applyOperation(root: Root, operation: Operation): void {
  switch (operation.op) {
    case 'add':
      add(root, operation.path, copyJson(operation.value));
      return;
    case 'replace':
      if (operation.path === '') root.document = copyJson(operation.value);
      else {
        remove(root, operation.path);
        add(root, operation.path, copyJson(operation.value));
      }
      return;
    case 'test':
      if (!isDeepStrictEqual(read(root, operation.path), operation.value)) {
        throw unfit(`testing path ${operation.path} failed`);
      }
      return;
    case 'remove':
      remove(root, operation.path);
      return;
    case 'move':
      add(root, operation.path, remove(root, operation.from));
      return;
    case 'copy':
      add(root, operation.path, copyJson(read(root, operation.from)));
      return;
    default:
      void (operation satisfies never);
  }
}

function tokens(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function read(root: Root, pointer: string): unknown {
  return tokens(pointer).reduce((value, token) => child(value, token, pointer), root.document);
}

function child(value: unknown, token: string, pointer: string): unknown {
  if (Array.isArray(value)) {
    const index = indexOf(token, value.length - 1, pointer);
    return value[index];
  }
  if (isJsonObject(value) && Object.hasOwn(value, token)) return value[token];
  throw unfit(`path ${pointer} does not exist`);
}

function parentOf(root: Root, pointer: string): { parent: unknown; last: string } {
  const path = tokens(pointer);
  const last = path.pop();
  if (last === undefined) throw unfit('the whole document cannot be removed');
  return { parent: path.reduce((value, token) => child(value, token, pointer), root.document), last };
}

function add(root: Root, pointer: string, value: unknown): void {
  if (pointer === '') {
    root.document = value;
    return;
  }
  const { parent, last } = parentOf(root, pointer);
  if (Array.isArray(parent)) {
    const index = last === '-' ? parent.length : indexOf(last, parent.length, pointer);
    parent.splice(index, 0, value);
  } else if (isJsonObject(parent)) setField(parent, last, value);
  else throw unfit(`path ${pointer} does not exist`);
}

function remove(root: Root, pointer: string): unknown {
  const { parent, last } = parentOf(root, pointer);
  const removed = child(parent, last, pointer);
  if (Array.isArray(parent)) parent.splice(indexOf(last, parent.length - 1, pointer), 1);
  else if (isJsonObject(parent)) delete parent[last];
  return removed;
}

function indexOf(token: string, largest: number, pointer: string): number {
  const index = /^(?:0|[1-9]\d*)$/u.test(token) ? Number(token) : Number.NaN;
  if (!(index <= largest)) throw unfit(`path ${pointer} does not exist`);
  return index;
}

function unfit(message: string): Error {
  return statusError(422, `the server rejected our request due to an error in our request: ${message}`);
}
