import { type ContentType, parse } from 'content-type';
import type { Format } from '../metrics/exposition.ts';

/** Media types that we serve, by their versions; without a version, the one that we have is meant. */
const SERVED: Readonly<Record<string, { readonly format: Format; readonly version: string }>> = {
  'application/openmetrics-text': { format: 'openmetrics', version: '1.0.0' },
  'text/plain': { format: 'text', version: '0.0.4' },
};

/**
 * Chooses the format of an answer by `Accept`: the first in order of preference that we serve, else text. Prometheus names
 * its formats by media type and version parameter, and sends other parameters too (`escaping`, `charset`), which do not matter here.
 */
export function negotiateFormat(accept: string | undefined): Format {
  const ranges = parseAccept(accept ?? '').filter((range) => quality(range) > 0);
  ranges.sort((one, other) => quality(other) - quality(one));
  for (const { type, parameters } of ranges) {
    const served = SERVED[type];
    if (served !== undefined && [served.version, undefined].includes(parameters.version))
      return served.format;
  }
  return 'text';
}

/** RFC 9110 §12.5.1: media ranges between commas. */
function parseAccept(accept: string): ContentType[] {
  const ranges: ContentType[] = [];
  for (let start = 0; start < accept.length; ) {
    const range = parse(accept, { comma: true, start });
    ranges.push(range);
    start = range.index + 1;
  }
  return ranges;
}

function quality({ parameters }: ContentType): number {
  const q = Number(parameters.q ?? 1);
  return Number.isNaN(q) ? 0 : q;
}
