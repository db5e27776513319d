import { DashboardLinkBuilder, DashboardLinkType } from '@grafana/grafana-foundation-sdk/dashboard';
import type { DataLink } from './panel.ts';

/** Every dashboard has it, so that each links to all. */
export const TAG = 'gke-disruption';

/** Where the runbooks of the alerts are. */
const RUNBOOKS =
  'https://github.com/gke-disruption-exporter/gke-disruption-exporter/blob/main/alerts/runbooks';

const CONSOLE = 'https://console.cloud.google.com';

/** The uids of the dashboards, which are in their URLs. */
export const UID = {
  overview: 'gke-disruption-overview',
  maintenance: 'gke-disruption-maintenance',
  interruptions: 'gke-disruption-interruptions',
  node: 'gke-disruption-node',
  exporter: 'gke-disruption-exporter',
  google: 'gke-disruption-google',
} as const;

/** To the other dashboards, with the time range and all that was chosen, and to the runbooks. */
export function dashboardLinks(): readonly DashboardLinkBuilder[] {
  return [
    new DashboardLinkBuilder('GKE disruption')
      .type(DashboardLinkType.Dashboards)
      .tags([TAG])
      .asDropdown(false)
      .includeVars(true)
      .keepTime(true)
      .targetBlank(false)
      .tooltip('The other dashboards, with the same time range and variables'),
    new DashboardLinkBuilder('Runbooks')
      .type(DashboardLinkType.Link)
      .url(RUNBOOKS)
      .icon('doc')
      .targetBlank(true)
      .tooltip('What to do about each alert'),
  ];
}

/** From a node in a row of a table to all that is known of it. The row has its labels, and those of its cluster. */
export function nodeLinks(): readonly DataLink[] {
  return [
    {
      title: 'All about this node',
      url: dashboardUrl('node', `var-node=${field('node')}`),
      targetBlank: false,
    },
    ...googleLinks(field('node'), field),
  ];
}

/** From a node to Google's pages about it. */
function googleLinks(node: string, label: (name: string) => string): readonly DataLink[] {
  const project = label('project_id');
  const cluster = `${label('location')}/${label('cluster_name')}`;
  return [
    {
      title: 'Node in the Google Cloud console',
      url: `${CONSOLE}/kubernetes/node/${cluster}/${node}/summary?project=${project}`,
      targetBlank: true,
    },
    {
      title: 'Its logs in Cloud Logging',
      url: `${CONSOLE}/logs/query;query=${loggingQuery(node)};duration=P1D?project=${project}`,
      targetBlank: true,
    },
  ];
}

/** From a node pool in a row or a series to its interruptions. */
export function poolLink(pool: string): DataLink {
  return {
    title: 'Interruptions of this node pool',
    url: dashboardUrl('interruptions', `var-node_pool=${pool}`),
    targetBlank: false,
  };
}

/** To the runbook that a column of the row names. */
export function runbookLink(name: string): DataLink {
  return { title: 'What to do', url: `${RUNBOOKS}/${name}.md`, targetBlank: true };
}

/** A label of the series that was clicked. */
export function seriesLabel(name: string): string {
  return `\${__field.labels.${name}}`;
}

/** A value of the same row of a table. */
export function field(name: string): string {
  return `\${__data.fields.${name}}`;
}

/** A later `var-` overrides what the variables say, so what is linked to stands last. */
function dashboardUrl(dashboard: keyof typeof UID, variable: string): string {
  return `/d/${UID[dashboard]}?\${__url_time_range}&\${datasource:queryparam}&\${cluster:queryparam}&${variable}`;
}

/**
 * What the node and Kubernetes say of it, and what Compute Engine did to its VM: the names of VM and node are the same, and host
 * errors, maintenance and preemption are written for the VM.
 */
function loggingQuery(node: string): string {
  const filter = `(resource.type="k8s_node" AND resource.labels.node_name="NODE") OR (resource.type="gce_instance" AND protoPayload.resourceName:"/instances/NODE")`;
  return encodeURIComponent(filter).replaceAll('NODE', node);
}
