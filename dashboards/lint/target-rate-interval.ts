import type { Rule } from './finding.ts';
import { panelTargets, RATE_INTERVAL, rangesOf } from './promql.ts';

/** A rate is taken over as many scrapes as it needs, whatever the time range. */
export const targetRateInterval: Rule = (dashboard) =>
  panelTargets(dashboard).flatMap(({ where, expr }) =>
    rangesOf(expr)
      .filter(
        ({ calledBy, range }) => (calledBy === 'rate' || calledBy === 'irate') && range !== RATE_INTERVAL,
      )
      .map(({ calledBy }) => ({ where, message: `${calledBy}() over something else than $__rate_interval` })),
  );
