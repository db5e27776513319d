import { variableQuery } from '../model.ts';
import { labelValues } from '../queries.ts';
import type { Rule } from './finding.ts';
import { syntaxError } from './promql.ts';

/** The options of a variable are the values of a label of series that exist in PromQL. */
export const templateLabelPromql: Rule = ({ templating: { list } }) =>
  list
    .filter(({ type }) => type === 'query')
    .flatMap((variable) => {
      const where = `variable ${variable.name}`;
      const query = labelValues(variableQuery(variable));
      if (query === undefined) return [{ where, message: 'its query is not label_values(SELECTOR, LABEL)' }];
      const error = syntaxError(query.expr);
      return error === undefined ? [] : [{ where, message: error }];
    });
