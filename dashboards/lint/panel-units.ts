import { panelsOf } from '../model.ts';
import type { Rule } from './finding.ts';

/** Those of Grafana's units that are used here. Grafana shows a unit that it does not know as a suffix. */
const UNITS = new Set([
  'bytes',
  'currencyUSD',
  'dateTimeAsIso',
  'dateTimeFromNow',
  'dtdurations',
  'eps',
  'h',
  'percentunit',
  'reqps',
  's',
  'short',
]);

/** Each panel says what its numbers are numbers of. */
export const panelUnits: Rule = (dashboard) =>
  panelsOf(dashboard)
    .filter(({ fieldConfig }) => !UNITS.has(fieldConfig?.defaults.unit ?? ''))
    .map(({ title, fieldConfig }) => ({
      where: `panel ${title}`,
      message: `unknown unit "${fieldConfig?.defaults.unit ?? ''}"`,
    }));
