import type { Dialect } from '../dialect.ts';
import { Promql } from '../promql.ts';
import type { RuleGroup } from '../rule.ts';
import type { Settings } from '../settings.ts';
import { coverage } from './coverage.ts';
import { exporter } from './exporter.ts';
import { interruptionCounts } from './interruption-counts.ts';
import { interruptionAverages, interruptions } from './interruptions.ts';
import { maintenance } from './maintenance-alerts.ts';

/** All rules, in the order in which they are read best. */
export function ruleGroups(settings: Settings, dialect: Dialect): readonly RuleGroup[] {
  const promql = new Promql(settings, dialect);
  return [maintenance, interruptionCounts, interruptions, interruptionAverages, coverage, exporter].map(
    (group) => group(promql),
  );
}
