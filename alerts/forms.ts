import { stringify } from 'yaml';
import { MANAGED_PROMETHEUS, PROMETHEUS } from './dialect.ts';
import type { RuleGroup } from './rule.ts';
import { ruleGroups } from './rules/groups.ts';
import type { Settings } from './settings.ts';

const NAME = 'gke-disruption-exporter';

const HEADER = '# Made by `npm run alerts` from alerts/settings.yml and alerts/rules/. Do not edit.\n';

/** The rules in each form that is deployed: text by the name of the file. */
export function ruleFiles(settings: Settings): ReadonlyMap<string, string> {
  const groups = ruleGroups(settings, PROMETHEUS);
  const managed = ruleGroups(settings, MANAGED_PROMETHEUS).map(withoutKeepFiring);
  const metadata = { name: NAME, labels: { 'app.kubernetes.io/name': NAME, ...settings.resource_labels } };
  return new Map(
    [
      ['prometheus.rules.yml', { groups }] as const,
      [
        'prometheus-rule.yml',
        { apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule', metadata, spec: { groups } },
      ] as const,
      ...(['ClusterRules', 'GlobalRules'] as const).map(
        (kind) =>
          [
            `managed-prometheus-${kind.toLowerCase().replace('rules', '-rules')}.yml`,
            { apiVersion: 'monitoring.googleapis.com/v1', kind, metadata, spec: { groups: managed } },
          ] as const,
      ),
    ].map(([file, content]) => [file, HEADER + stringify(content, { lineWidth: 0, blockQuote: 'literal' })]),
  );
}

/** Managed Service for Prometheus knows no `keep_firing_for`, and refuses a resource that has it. */
function withoutKeepFiring(group: RuleGroup): RuleGroup {
  return {
    ...group,
    rules: group.rules.map((rule) => {
      if ('record' in rule) return rule;
      const { keep_firing_for: _, ...rest } = rule;
      return rest;
    }),
  };
}
