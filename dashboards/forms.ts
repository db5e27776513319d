import { stringify } from 'yaml';
import { dashboards } from './dashboards.ts';
import type { Dashboard } from './layout.ts';
import { panelsOf, readDashboard } from './model.ts';

const NAME = 'gke-disruption-exporter';
const FOLDER = 'GKE disruption';
const INPUT = 'DS_PROMETHEUS';

/** The first release whose panels show all that is used here; older ones show most of it. */
const GRAFANA = '11.0.0';

const HEADER = '# Made by `npm run dashboards` from dashboards/. Do not edit.\n';

/** The dashboards in each form in which they are installed: text by the path of the file. */
export function dashboardFiles(): ReadonlyMap<string, string> {
  const all = [...dashboards()];
  return new Map([
    ...all.map(([name, dashboard]) => [`provisioned/${name}.json`, json(dashboard)] as const),
    ...all.map(([name, dashboard]) => [`grafana.com/${name}.json`, json(importable(dashboard))] as const),
    ['kubernetes/configmaps.yml', documents(all.map(configMap))],
    ['kubernetes/grafana-dashboards.yml', documents(all.map(grafanaDashboard))],
  ]);
}

function json(content: unknown): string {
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

/** Who imports it is asked for a data source, which then is the one that the dashboard opens with. */
function importable(dashboard: Dashboard): unknown {
  const types = [...new Set(panelsOf(readDashboard(dashboard)).map(({ type }) => type))];
  const chosen = `\${${INPUT}}`;
  return {
    __inputs: [
      {
        name: INPUT,
        label: 'Prometheus',
        description: '',
        type: 'datasource',
        pluginId: 'prometheus',
        pluginName: 'Prometheus',
      },
    ],
    __requires: [
      { type: 'grafana', id: 'grafana', name: 'Grafana', version: GRAFANA },
      { type: 'datasource', id: 'prometheus', name: 'Prometheus', version: '1.0.0' },
      ...types.map((id) => ({ type: 'panel', id, name: id, version: '' })),
    ],
    id: null,
    ...dashboard,
    templating: {
      list: dashboard.templating.list?.map((variable) =>
        variable.type === 'datasource'
          ? { ...variable, current: { selected: true, text: chosen, value: chosen } }
          : variable,
      ),
    },
  };
}

function documents(resources: readonly unknown[]): string {
  return (
    HEADER +
    resources.map((resource) => stringify(resource, { lineWidth: 0, blockQuote: 'literal' })).join('---\n')
  );
}

/** For the sidecar of Grafana's Helm chart, which looks for this label in every namespace that it is told to watch. */
function configMap([name, dashboard]: readonly [string, Dashboard]): unknown {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `${NAME}-dashboard-${name}`,
      labels: { 'app.kubernetes.io/name': NAME, grafana_dashboard: '1' },
      annotations: { grafana_folder: FOLDER },
    },
    data: { [`gke-disruption-${name}.json`]: json(dashboard) },
  };
}

/** For the Grafana operator, to every Grafana with the label that its documentation gives them. */
function grafanaDashboard([name, dashboard]: readonly [string, Dashboard]): unknown {
  return {
    apiVersion: 'grafana.integreatly.org/v1beta1',
    kind: 'GrafanaDashboard',
    metadata: { name: `${NAME}-${name}`, labels: { 'app.kubernetes.io/name': NAME } },
    spec: {
      instanceSelector: { matchLabels: { dashboards: 'grafana' } },
      allowCrossNamespaceImport: true,
      folder: FOLDER,
      json: json(dashboard),
    },
  };
}
