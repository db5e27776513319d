import type { Rule } from './finding.ts';
import { panelTargets, syntaxError } from './promql.ts';

/** Each query is PromQL once macros and variables are filled in. */
export const targetPromql: Rule = (dashboard) =>
  panelTargets(dashboard).flatMap(({ where, expr }) => {
    const error = syntaxError(expr);
    return error === undefined ? [] : [{ where, message: error }];
  });
