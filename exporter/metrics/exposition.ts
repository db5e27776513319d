import type { Family, Sample } from './family.ts';

/** The two text formats of Prometheus that we serve. */
export type Format = 'text' | 'openmetrics';

/** Media types as Prometheus expects them in Content-Type. */
export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** The last line of an OpenMetrics exposition; text 0.0.4 has none. */
export const END: Readonly<Record<Format, string>> = { text: '', openmetrics: '# EOF\n' };

/**
 * HELP and TYPE lines of a family. In OpenMetrics the family of a counter has no `_total`, and HELP escapes quotes too.
 * Sources: Prometheus documentation "Exposition formats", OpenMetrics 1.0.0.
 */
export function renderHeader(
  name: string,
  { type, help }: Pick<Family, 'type' | 'help'>,
  format: Format,
): string {
  const familyName = format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/u, '') : name;
  const escaped = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  const text = format === 'openmetrics' ? escaped.replaceAll('"', '\\"') : escaped;
  return `# HELP ${familyName} ${text}\n# TYPE ${familyName} ${type}\n`;
}

/** One line of a sample, the same in both formats. */
export function renderSample(name: string, labels: Sample['labels'], value: number): string {
  let pairs = '';
  for (const [label, labelValue] of Object.entries(labels)) {
    pairs += `${pairs === '' ? '' : ','}${label}="${escapeLabelValue(labelValue)}"`;
  }
  return `${name}${pairs === '' ? '' : `{${pairs}}`} ${renderValue(value)}\n`;
}

// Most values need no change; a test is much cheaper than a replacement.
// biome-ignore lint/suspicious/noControlCharactersInRegex: a control character in a value is what this looks for
const NEEDS_CARE = /[\\"\u0000-\u001f\u007f\ud800-\udfff]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: see above
const UNPRINTABLE = /[\u0000-\u0009\u000b-\u001f\u007f]/gu;

/** Escapes as both formats ask; what no UTF-8 text or no terminal should carry becomes U+FFFD. */
function escapeLabelValue(value: string): string {
  if (!NEEDS_CARE.test(value)) return value;
  return value
    .toWellFormed()
    .replace(UNPRINTABLE, '\ufffd')
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n');
}

function renderValue(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  return String(value);
}
