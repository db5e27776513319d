import type { Rule } from './finding.ts';
import { panelDatasource } from './panel-datasource.ts';
import { panelNoTargets } from './panel-no-targets.ts';
import { panelTitleDescription } from './panel-title-description.ts';
import { panelUnits } from './panel-units.ts';
import { targetCounterAgg } from './target-counter-agg.ts';
import { targetPromql } from './target-promql.ts';
import { targetRateInterval } from './target-rate-interval.ts';
import { templateDatasource } from './template-datasource.ts';
import { templateLabelPromql } from './template-label-promql.ts';
import { templateOnTimeChangeReload } from './template-on-time-change-reload.ts';
import { uneditableDashboard } from './uneditable-dashboard.ts';

/** The rules of grafana/dashboard-linter, by their names there. */
export const RULES: Readonly<Record<string, Rule>> = {
  'template-datasource-rule': templateDatasource,
  'template-on-time-change-reload-rule': templateOnTimeChangeReload,
  'template-label-promql-rule': templateLabelPromql,
  'panel-datasource-rule': panelDatasource,
  'panel-title-description-rule': panelTitleDescription,
  'panel-units-rule': panelUnits,
  'panel-no-targets-rule': panelNoTargets,
  'target-promql-rule': targetPromql,
  'target-rate-interval-rule': targetRateInterval,
  'target-counter-agg-rule': targetCounterAgg,
  'uneditable-dashboard': uneditableDashboard,
};
