import type { Rule } from './finding.ts';

/** Grafana's number for it. */
const ON_TIME_RANGE_CHANGE = 2;

/** The options of a variable are those of the time range that is shown. */
export const templateOnTimeChangeReload: Rule = ({ templating: { list } }) =>
  list
    .filter(({ type, refresh }) => type === 'query' && refresh !== ON_TIME_RANGE_CHANGE)
    .map(({ name }) => ({
      where: `variable ${name}`,
      message: 'is not refreshed when the time range changes',
    }));
