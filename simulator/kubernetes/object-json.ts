import { isJsonObject, type JsonObject, type KubernetesObject } from './object.ts';

/** Stands in the text where the list of images goes; no JSON text contains a bare NUL. */
const IMAGES = '\u0000images';
const IMAGES_TEXT = JSON.stringify(IMAGES);

interface Cut {
  readonly head: string;
  readonly images: string;
  readonly tail: string;
}

const wholeTexts = new WeakMap<KubernetesObject, string>();
const cuts = new WeakMap<KubernetesObject, Cut>();
const imageTexts = new WeakMap<object, string>();

/**
 * The JSON of a stored object, made once. A frozen list of images (most of a node) is kept once for all nodes that share
 * it, which is what lets 65,000 nodes fit in memory.
 */
export function objectJson(object: KubernetesObject): string {
  const images = sharedImages(object);
  if (images === undefined) return remembered(wholeTexts, object, JSON.stringify);
  const cut = remembered(cuts, object, () => cutAtImages(object, images));
  return cut.head + cut.images + cut.tail;
}

function remembered<K extends object, V>(memory: WeakMap<K, V>, key: K, make: (key: K) => V): V {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  memory.set(key, made);
  return made;
}

function sharedImages(object: KubernetesObject): object | undefined {
  const { status } = object;
  if (!isJsonObject(status)) return undefined;
  const { images } = status;
  return Array.isArray(images) && Object.isFrozen(images) ? images : undefined;
}

function cutAtImages(object: KubernetesObject, images: object): Cut {
  const status: JsonObject = { ...(object.status as JsonObject), images: IMAGES };
  const text = JSON.stringify({ ...object, status });
  const at = text.lastIndexOf(IMAGES_TEXT);
  return {
    head: text.slice(0, at),
    images: remembered(imageTexts, images, JSON.stringify),
    tail: text.slice(at + IMAGES_TEXT.length),
  };
}
