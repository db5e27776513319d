import { isJsonObject, type KubernetesObject, labelsOf, ownField } from './object.ts';
import type { Resource } from './resource.ts';
import { statusError } from './status.ts';

export type Selector = (object: KubernetesObject) => boolean;

export const EVERYTHING: Selector = () => true;

type Requirement = (value: string | undefined) => boolean;

const KEY = String.raw`[\w.\/\-]+`;
const SET_BASED = new RegExp(String.raw`^(${KEY})\s+(in|notin)\s*\(([^()]*)\)$`, 'u');
const COMPARISON = new RegExp(String.raw`^(${KEY})\s*(==|=|!=|>|<)\s*([\w.\-]*)$`, 'u');
const EXISTENCE = new RegExp(String.raw`^(!?)\s*(${KEY})$`, 'u');
/** Commas outside of parentheses. */
const REQUIREMENTS = /,(?![^()]*\))/u;

/** Reads a labelSelector: equality, sets, existence, greater and less. Throws a StatusError 400 where Kubernetes does. */
export function labelSelector(text: string | undefined): Selector {
  if (text === undefined || text.trim() === '') return EVERYTHING;
  const requirements = text.split(REQUIREMENTS).map((part) => labelRequirement(part.trim(), text));
  return (object) => {
    const labels = labelsOf(object);
    return requirements.every(([key, holds]) => {
      const value = ownField(labels, key);
      return holds(typeof value === 'string' ? value : undefined);
    });
  };
}

function labelRequirement(part: string, whole: string): [string, Requirement] {
  const set = SET_BASED.exec(part);
  if (set !== null) {
    const [, key = '', operator, list = ''] = set;
    const values = new Set(list.split(',').map((value) => value.trim()));
    return [
      key,
      operator === 'in'
        ? (value) => value !== undefined && values.has(value)
        : (value) => value === undefined || !values.has(value),
    ];
  }
  const comparison = COMPARISON.exec(part);
  if (comparison !== null) {
    const [, key = '', operator = '', wanted = ''] = comparison;
    return [key, comparisonRequirement(operator, wanted)];
  }
  const existence = EXISTENCE.exec(part);
  if (existence !== null) {
    const [, not, key = ''] = existence;
    return [key, (value) => (value === undefined) === (not === '!')];
  }
  throw statusError(
    400,
    `unable to parse requirement: found '${part}', in the label selector '${whole}', expected: a requirement`,
  );
}

function comparisonRequirement(operator: string, wanted: string): Requirement {
  switch (operator) {
    case '!=':
      return (value) => value !== wanted;
    case '>':
      return (value) => value !== undefined && Number(value) > Number(wanted);
    case '<':
      return (value) => value !== undefined && Number(value) < Number(wanted);
    default:
      return (value) => value === wanted;
  }
}

/** Where a selectable field is, when its name is not its path. */
const FIELD_PATHS: Readonly<Record<string, readonly string[]>> = { source: ['source', 'component'] };
/** What an absent field counts as, when not as empty text. */
const ABSENT_VALUES: Readonly<Record<string, string>> = { 'spec.unschedulable': 'false' };

const FIELD_TERM = /^([\w.]+)(==|=|!=)(.*)$/u;

/** Reads a fieldSelector. Throws a StatusError 400 for a field that the resource does not offer. */
export function fieldSelector(resource: Resource, text: string | undefined): Selector {
  if (text === undefined || text.trim() === '') return EVERYTHING;
  const terms = text.split(',').map((part) => {
    const [, field = '', operator = '', wanted = ''] = FIELD_TERM.exec(part.trim()) ?? [];
    if (field === '')
      throw statusError(400, `invalid selector: '${text}'; can't understand '${part.trim()}'`);
    if (!isSelectable(resource, field)) {
      throw statusError(
        400,
        `Unable to find "/${resource.version}, Resource=${resource.plural}" that match label selector "", ` +
          `field selector "${text}": field label not supported: ${field}`,
      );
    }
    const path = FIELD_PATHS[field] ?? field.split('.');
    const absent = ABSENT_VALUES[field] ?? '';
    return (object: KubernetesObject) =>
      ((fieldText(object, path) || absent) === wanted) === (operator !== '!=');
  });
  return (object) => terms.every((holds) => holds(object));
}

function isSelectable(resource: Resource, field: string): boolean {
  return (
    field === 'metadata.name' ||
    (field === 'metadata.namespace' && resource.namespaced) ||
    resource.selectableFields.includes(field)
  );
}

function fieldText(object: unknown, [first, ...rest]: readonly string[]): string {
  if (first !== undefined) return fieldText(isJsonObject(object) ? ownField(object, first) : undefined, rest);
  if (typeof object === 'string') return object;
  return typeof object === 'boolean' ? String(object) : '';
}

export function both(one: Selector, other: Selector): Selector {
  if (one === EVERYTHING) return other;
  return other === EVERYTHING ? one : (object) => one(object) && other(object);
}
