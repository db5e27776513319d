import type { SeriesIdentity } from './time-series-store.ts';

const TERM = /^\s*(?<selector>[\w.]+)\s*=\s*(?<value>"(?:[^"\\]|\\.)*")\s*$/u;

/** A filter that is none, or is beyond what is simulated: equalities joined by AND. */
export class FilterError extends Error {}

/** What a filter of Cloud Monitoring selects. Throws a FilterError. */
export function parseFilter(filter: string): (identity: SeriesIdentity) => boolean {
  const terms = filter.split(/\s+AND\s+/u).map(parseTerm);
  if (!terms.some(({ selector }) => selector === 'metric.type'))
    throw new FilterError('The filter must specify a single metric type.');
  return (identity) => terms.every(({ selector, value }) => labelOrType(identity, selector) === value);
}

function parseTerm(text: string): { selector: string; value: unknown } {
  const { selector, value } = TERM.exec(text)?.groups ?? {};
  if (selector === undefined || value === undefined)
    throw new FilterError(`Could not parse filter "${text}"`);
  return { selector, value: JSON.parse(value) };
}

function labelOrType(identity: SeriesIdentity, selector: string): string | undefined {
  switch (selector) {
    case 'metric.type':
      return identity.metricType;
    case 'resource.type':
      return identity.resourceType;
    default: {
      const label = /^(?<owner>metric|resource)\.labels?\.(?<name>\w+)$/u.exec(selector)?.groups;
      if (label?.name === undefined) throw new FilterError(`Unknown selector ${selector}`);
      return (label.owner === 'metric' ? identity.metricLabels : identity.resourceLabels)[label.name];
    }
  }
}
