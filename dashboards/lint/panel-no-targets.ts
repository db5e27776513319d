import { panelsOf } from '../model.ts';
import type { Rule } from './finding.ts';

/** Each panel asks something. */
export const panelNoTargets: Rule = (dashboard) =>
  panelsOf(dashboard)
    .filter(({ targets }) => targets.length === 0)
    .map(({ title }) => ({ where: `panel ${title}`, message: 'no query' }));
