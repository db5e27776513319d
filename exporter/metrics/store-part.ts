import { renderSample } from './exposition.ts';
import type { Sample } from './family.ts';

/** The samples of one key, as text by family. */
type RenderedSamples = ReadonlyMap<string, string>;

const NO_SAMPLES: RenderedSamples = new Map();

/**
 * The part of the store that one collector owns. What it says of a key (a node's uid, a poll) it replaces as a whole;
 * text is made then, so that a scrape only puts together what is there.
 */
export class StorePart {
  readonly #isVisible: () => boolean;
  readonly #byKey = new Map<string, RenderedSamples>();
  readonly #byFamily = new Map<string, Map<string, string>>();
  /** Text of a whole family, made at the first scrape after a change. */
  readonly #joined = new Map<string, string>();

  constructor(isVisible: () => boolean) {
    this.#isVisible = isVisible;
  }

  /** Says everything that there is to say of a key; what was said before and is not repeated is gone. */
  replace(key: string, samples: Iterable<Sample>): void {
    const rendered = render(samples);
    const before = this.#byKey.get(key) ?? NO_SAMPLES;
    for (const family of before.keys()) {
      if (!rendered.has(family)) this.#set(family, key, undefined);
    }
    for (const [family, text] of rendered) {
      if (before.get(family) !== text) this.#set(family, key, text);
    }
    if (rendered.size === 0) this.#byKey.delete(key);
    else this.#byKey.set(key, rendered);
  }

  delete(key: string): void {
    this.replace(key, []);
  }

  /** Takes back everything. */
  clear(): void {
    this.#byKey.clear();
    this.#byFamily.clear();
    this.#joined.clear();
  }

  /** The lines of a family; empty when there are none, or when the part is not to be seen now. */
  lines(family: string): string {
    if (!this.#isVisible()) return '';
    const known = this.#joined.get(family);
    if (known !== undefined) return known;
    const joined = [...(this.#byFamily.get(family)?.values() ?? [])].join('');
    this.#joined.set(family, joined);
    return joined;
  }

  #set(family: string, key: string, text: string | undefined): void {
    this.#joined.delete(family);
    const lines = this.#byFamily.get(family) ?? new Map<string, string>();
    this.#byFamily.set(family, lines);
    if (text === undefined) lines.delete(key);
    else lines.set(key, text);
  }
}

function render(samples: Iterable<Sample>): RenderedSamples {
  const rendered = new Map<string, string>();
  for (const { family, labels, value } of samples) {
    rendered.set(family, (rendered.get(family) ?? '') + renderSample(family, labels, value));
  }
  return rendered;
}
