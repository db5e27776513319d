import type { Rule } from './finding.ts';
import { panelTargets, selectorsOf } from './promql.ts';

const COUNTER = /_(?:total|bucket|count|sum)$/u;
const FOR_COUNTERS = new Set(['rate', 'irate', 'increase']);

/** The value of a counter means nothing, but how it grows. Recorded series and Google's gauges have a colon in their names. */
export const targetCounterAgg: Rule = (dashboard) =>
  panelTargets(dashboard).flatMap(({ where, expr }) =>
    selectorsOf(expr)
      .filter(
        ({ name, calledBy }) => COUNTER.test(name) && !name.includes(':') && !FOR_COUNTERS.has(calledBy),
      )
      .map(({ name }) => ({ where, message: `the counter ${name} is not in rate(), irate() or increase()` })),
  );
