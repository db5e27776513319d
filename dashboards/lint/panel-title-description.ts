import { panelsOf } from '../model.ts';
import type { Rule } from './finding.ts';

/** Each panel says what it shows. */
export const panelTitleDescription: Rule = (dashboard) =>
  panelsOf(dashboard)
    .filter(({ title, description }) => title === '' || description === '')
    .map(({ id, title }) => ({
      where: `panel ${id}`,
      message: title === '' ? 'no title' : 'no description',
    }));
