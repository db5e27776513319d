import mergePatch from 'json-merge-patch';
import { jsonPatch } from './json-patch.ts';
import { copyJson, isJsonObject, type JsonObject } from './object.ts';
import { statusError } from './status.ts';
import { strategicMergePatch } from './strategic-merge-patch.ts';

/** Content types of the patches that are understood. */
export const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;

/**
 * Applies a patch of the given content type to a copy of an object.
 * Throws a StatusError: 415 for another content type, 400 or 422 for a patch that cannot be applied.
 */
export function applyPatch(
  contentType: string,
  kind: string,
  target: JsonObject,
  patch: unknown,
): JsonObject {
  const patched = patchedValue(contentType, kind, target, patch);
  if (!isJsonObject(patched)) throw statusError(400, 'the patched value is no object');
  return patched;
}

function patchedValue(contentType: string, kind: string, target: JsonObject, patch: unknown): unknown {
  if (contentType === PATCH_TYPES.json) return jsonPatch(target, patch);
  if (contentType !== PATCH_TYPES.merge && contentType !== PATCH_TYPES.strategic) {
    throw statusError(
      415,
      `the body of the request was in an unknown format - accepted media types include: ${Object.values(PATCH_TYPES).join(', ')}`,
    );
  }
  if (!isJsonObject(patch)) throw statusError(400, 'error decoding patch: expected an object');
  if (contentType === PATCH_TYPES.strategic) return strategicMergePatch(kind, target, patch);
  // The library writes into its argument.
  const result: unknown = mergePatch.apply(copyJson(target), patch);
  return result;
}
