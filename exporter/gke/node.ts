import * as v from 'valibot';
import { hostMaintenance, type LiveMigration, type MaintenanceNotice } from './host-maintenance.ts';
import { parseUnixSeconds } from './instant.ts';
import { type InvalidValue, showValue } from './invalid-value.ts';
import { type MaintenanceRecord, parseMaintenanceRecordText } from './maintenance-record.ts';
import {
  type OpportunisticConfig,
  parseOpportunisticConfig,
  parseOpportunisticTriggered,
} from './opportunistic-maintenance.ts';

/** What never changes in the life of a node. Empty text: not known. */
interface NodeProperties {
  readonly zone: string;
  readonly machineType: string;
  /** standard, spot, preemptible, flex-start, …, in small letters. */
  readonly provisioning: string;
  /** Type of the GPU or TPU, `nvidia-b200`, `tpu-v6e-slice`. */
  readonly accelerator: string;
  readonly acceleratorCount: string;
  readonly tpuTopology: string;
  /** Version of the kubelet without its `v`. */
  readonly gkeVersion: string;
  readonly instanceId: string;
  readonly liveMigration: LiveMigration;
  readonly maintenanceNotice: MaintenanceNotice;
}

/** What a Node object says about its interruptions, now. Undefined: nothing is said. */
export interface GkeNode {
  readonly uid: string;
  readonly name: string;
  /** Label `cloud.google.com/gke-nodepool`; empty if there is none. */
  readonly nodePool: string;
  /** Whether the Ready condition is True; Unknown and a missing condition are not. */
  readonly ready: boolean;
  readonly properties: NodeProperties;
  /** Label `scheduled-maintenance-time`, Unix seconds. */
  readonly scheduledMaintenanceTime: number | undefined;
  /** Annotation `upcoming-maintenance`. */
  readonly maintenance: MaintenanceRecord | undefined;
  /** Label `active-node-maintenance`: ONGOING, terminating, passthrough, or what else is sent. */
  readonly activeMaintenance: string | undefined;
  readonly performMaintenanceRequested: boolean;
  /** Taint `maintenance-window-started`. */
  readonly maintenanceWindowOpen: boolean;
  /** Taint `impending-node-termination`. */
  readonly terminationImpending: boolean;
  readonly opportunisticConfig: OpportunisticConfig | undefined;
  readonly opportunisticDisabled: boolean;
  readonly opportunisticTriggered: boolean;
  readonly invalid: readonly InvalidValue[];
}

const NAME = v.pipe(v.string(), v.nonEmpty());
const STRING_MAP = v.nullish(
  v.custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null),
);

/** The part of a Kubernetes Node (core/v1) that is read; the rest, most of it the list of images, is not kept. */
const NODE = v.object({
  metadata: v.object({ name: NAME, uid: NAME, labels: STRING_MAP, annotations: STRING_MAP }),
  spec: v.nullish(
    v.object({
      providerID: v.nullish(v.string()),
      taints: v.nullish(v.array(v.object({ key: v.string() }))),
    }),
  ),
  status: v.nullish(
    v.object({
      conditions: v.nullish(v.array(v.object({ type: v.string(), status: v.string() }))),
      nodeInfo: v.nullish(v.object({ kubeletVersion: v.nullish(v.string()) })),
    }),
  ),
});

type NodeObject = v.InferOutput<typeof NODE>;

/**
 * Translates a Kubernetes Node into what GKE says with it. Sources: GKE documentation "Monitor maintenance events" for the
 * documented labels and taints; the annotation and the taint maintenance-window-started were observed on GKE 1.35.
 * Throws a valibot error that names the path when the object is no Node.
 */
export function parseNode(object: unknown): GkeNode {
  const node = v.parse(NODE, object);
  const label = reader(node.metadata.labels);
  const annotation = reader(node.metadata.annotations);
  const taints = new Set(node.spec?.taints?.map(({ key }) => key));
  const invalid: InvalidValue[] = [];
  return {
    uid: node.metadata.uid,
    name: node.metadata.name,
    nodePool: label('cloud.google.com/gke-nodepool'),
    ready:
      node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false,
    properties: properties(node, label, annotation),
    scheduledMaintenanceTime: scheduledMaintenanceTime(node, invalid),
    maintenance: collect(invalid, parseMaintenanceRecordText(annotation(UPCOMING_MAINTENANCE), 'annotation'))
      .record,
    activeMaintenance: label('cloud.google.com/active-node-maintenance') || undefined,
    performMaintenanceRequested: label('cloud.google.com/perform-maintenance') === 'true',
    maintenanceWindowOpen: taints.has('cloud.google.com/maintenance-window-started'),
    terminationImpending: taints.has('cloud.google.com/impending-node-termination'),
    opportunisticDisabled: label('cloud.google.com/opportunistic-disable') === 'true',
    ...opportunistic(annotation, invalid),
    invalid,
  };
}

const UPCOMING_MAINTENANCE = 'node.gke.io/upcoming-maintenance';
const SCHEDULED_MAINTENANCE_TIME = 'cloud.google.com/scheduled-maintenance-time';

/** Reads a label or annotation; empty text if there is none. */
type Reader = (key: string) => string;

function reader(map: Record<string, unknown> | null | undefined): Reader {
  return (key) => {
    const value = map?.[key];
    return typeof value === 'string' ? value : '';
  };
}

function collect<T extends { readonly invalid: readonly InvalidValue[] }>(
  invalid: InvalidValue[],
  parsed: T,
): T {
  invalid.push(...parsed.invalid);
  return parsed;
}

function scheduledMaintenanceTime(node: NodeObject, invalid: InvalidValue[]): number | undefined {
  const text = node.metadata.labels?.[SCHEDULED_MAINTENANCE_TIME];
  if (text === undefined) return undefined;
  const seconds = typeof text === 'string' ? parseUnixSeconds(text) : undefined;
  if (seconds === undefined) {
    invalid.push({ source: 'label', field: 'scheduled-maintenance-time', value: showValue(text) });
  }
  return seconds;
}

function opportunistic(
  annotation: Reader,
  invalid: InvalidValue[],
): Pick<GkeNode, 'opportunisticConfig' | 'opportunisticTriggered'> {
  const config = annotation('node.gke.io/opportunistic-config');
  const state = annotation('node.gke.io/maintenance-state');
  return {
    opportunisticConfig: config === '' ? undefined : collect(invalid, parseOpportunisticConfig(config)).value,
    opportunisticTriggered: collect(invalid, parseOpportunisticTriggered(state)).value ?? false,
  };
}

function properties(node: NodeObject, label: Reader, annotation: Reader): NodeProperties {
  const machineType = label('node.kubernetes.io/instance-type') || label('beta.kubernetes.io/instance-type');
  const accelerator =
    label('cloud.google.com/gke-accelerator') || label('cloud.google.com/gke-tpu-accelerator');
  const gkeVersion = (node.status?.nodeInfo?.kubeletVersion ?? '').replace(/^v/u, '');
  const { liveMigration, notice } = hostMaintenance({
    machineType,
    hasAccelerator: accelerator !== '' || label('cloud.google.com/gke-gpu') === 'true',
    confidential: label('cloud.google.com/gke-confidential-nodes-instance-type').toUpperCase(),
    gkeVersion,
  });
  return {
    zone: zone(node, label),
    machineType,
    provisioning: provisioning(label),
    accelerator,
    acceleratorCount: label('cloud.google.com/gke-accelerator-count'),
    tpuTopology: label('cloud.google.com/gke-tpu-topology'),
    gkeVersion,
    instanceId: annotation('container.googleapis.com/instance_id'),
    liveMigration,
    maintenanceNotice: notice,
  };
}

function zone(node: NodeObject, label: Reader): string {
  return (
    label('topology.kubernetes.io/zone') ||
    label('topology.gke.io/zone') ||
    (/^gce:\/\/[^/]+\/(?<zone>[^/]+)\//u.exec(node.spec?.providerID ?? '')?.groups?.zone ?? '')
  );
}

/** GKE sets gke-provisioning since 1.25.5-gke.2500; before, only Spot and preemptible nodes say what they are. */
function provisioning(label: Reader): string {
  const sent = label('cloud.google.com/gke-provisioning').toLowerCase();
  if (sent !== '') return sent;
  if (label('cloud.google.com/gke-spot') === 'true') return 'spot';
  if (label('cloud.google.com/gke-preemptible') === 'true') return 'preemptible';
  return label('cloud.google.com/gke-nodepool') === '' ? '' : 'standard';
}
