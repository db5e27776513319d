import { type VariableModel, variableQuery } from '../model.ts';
import type { Finding, Rule } from './finding.ts';

/** There is a variable by which the data source is chosen, so that the dashboard is not tied to one. */
export const templateDatasource: Rule = ({ templating: { list } }) => {
  const variable = list.find(({ type }) => type === 'datasource');
  if (variable === undefined) return [{ where: 'templating', message: 'no variable for the data source' }];
  return mistakes(variable);
};

function mistakes(variable: VariableModel): readonly Finding[] {
  const expected = { name: 'datasource', label: 'Data source', query: 'prometheus' };
  const found = { name: variable.name, label: variable.label, query: variableQuery(variable) };
  return (['name', 'label', 'query'] as const)
    .filter((key) => found[key] !== expected[key])
    .map((key) => ({
      where: `variable ${variable.name}`,
      message: `its ${key} is "${found[key]}" instead of "${expected[key]}"`,
    }));
}
