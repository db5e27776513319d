import { panelsOf } from '../model.ts';
import { DATASOURCE } from '../variables.ts';
import type { Rule } from './finding.ts';

/** Panels, their queries, annotations and variables ask the data source that is chosen. */
export const panelDatasource: Rule = (dashboard) =>
  [
    ...panelsOf(dashboard).flatMap(({ title, datasource, targets }) => [
      { where: `panel ${title}`, datasource },
      ...targets.map((target) => ({
        where: `panel ${title}, query ${target.refId}`,
        datasource: target.datasource,
      })),
    ]),
    ...dashboard.annotations.list.map(({ name, datasource }) => ({
      where: `annotation ${name}`,
      datasource,
    })),
    ...dashboard.templating.list
      .filter(({ type }) => type === 'query')
      .map(({ name, datasource }) => ({ where: `variable ${name}`, datasource })),
  ]
    .filter(({ datasource }) => datasource?.uid !== DATASOURCE.uid)
    .map(({ where }) => ({ where, message: 'does not ask the chosen data source' }));
