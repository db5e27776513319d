/** A value that a source sent and that means nothing: its series is absent, and it is counted and logged once. */
export interface InvalidValue {
  /** Where it stood; `object` for a whole object that cannot be read. */
  readonly source: 'annotation' | 'compute' | 'configmap' | 'label' | 'metadata' | 'monitoring' | 'object';
  /** Which field, one of a bounded set: the name of the label or annotation, or of the field within a record. */
  readonly field: string;
  /** What stood there, shortened. Never a label value. */
  readonly value: string;
}

const SHOWN_CHARACTERS = 100;

/** Describes a value of any type for a log line, never longer than about a hundred characters. */
export function showValue(value: unknown): string {
  // Undefined has no JSON, whatever TypeScript's types say.
  const text =
    typeof value === 'string' ? value : ((JSON.stringify(value) as string | undefined) ?? String(value));
  return text.length <= SHOWN_CHARACTERS
    ? text
    : `${text.slice(0, SHOWN_CHARACTERS)}… (${text.length} characters)`;
}
