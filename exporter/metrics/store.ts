import { catalogue, type FamilyName } from './catalogue.ts';
import { type Format, renderHeader } from './exposition.ts';
import { StorePart } from './store-part.ts';

const FAMILY_NAMES = Object.keys(catalogue) as FamilyName[];

/** Everything exported about the cluster: one part for each collector, families in the order of the catalogue. */
export class Store {
  readonly #parts: StorePart[] = [];

  /** Adds a part. While `isVisible` is false, say because its source fell silent, nothing of it is exposed. */
  part(isVisible: () => boolean = () => true): StorePart {
    const part = new StorePart(isVisible);
    this.#parts.push(part);
    return part;
  }

  /** The exposition of all families that have samples, without the end line. */
  expose(format: Format): string {
    let text = '';
    for (const name of FAMILY_NAMES) {
      const lines = this.#parts.map((part) => part.lines(name)).join('');
      if (lines !== '') text += renderHeader(name, catalogue[name], format) + lines;
    }
    return text;
  }
}
