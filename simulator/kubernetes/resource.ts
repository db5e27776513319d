import type { KubernetesObject } from './object.ts';

/** A resource that the API server serves. The type parameter is the type of its objects. */
export interface Resource<T extends KubernetesObject = KubernetesObject> {
  /** API group; empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Name in paths, `nodes`. */
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly namespaced: boolean;
  /** Whether `…/status` is a subresource of its own, which also means that writes of the object leave the status alone. */
  readonly status: boolean;
  /** Fields that a fieldSelector may name besides metadata.name and metadata.namespace. */
  readonly selectableFields: readonly string[];
  /** Only for the compiler: carries the type of the objects. */
  readonly objects?: T;
}

export interface Taint {
  key: string;
  value?: string;
  effect: string;
  /** RFC 3339; Kubernetes' own controllers set it on NoExecute taints. */
  timeAdded?: string;
}

export interface NodeCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  lastHeartbeatTime: string;
  lastTransitionTime: string;
  reason: string;
  message: string;
}

export interface ContainerImage {
  readonly names: readonly string[];
  readonly sizeBytes: number;
}

/** The parts of a Node (core/v1) that the simulator writes. */
export interface Node extends KubernetesObject {
  spec: {
    providerID?: string;
    podCIDR?: string;
    podCIDRs?: string[];
    unschedulable?: boolean;
    taints?: Taint[];
  };
  status: {
    capacity?: Record<string, string>;
    allocatable?: Record<string, string>;
    conditions?: NodeCondition[];
    addresses?: { type: string; address: string }[];
    daemonEndpoints?: { kubeletEndpoint: { Port: number } };
    nodeInfo?: Record<string, string>;
    images?: readonly ContainerImage[];
  };
}

const CORE = { group: '', version: 'v1', namespaced: true, status: false } as const;

export const NODES: Resource<Node> = {
  ...CORE,
  plural: 'nodes',
  singular: 'node',
  kind: 'Node',
  shortNames: ['no'],
  namespaced: false,
  status: true,
  selectableFields: ['spec.unschedulable'],
};

export const PODS: Resource = {
  ...CORE,
  plural: 'pods',
  singular: 'pod',
  kind: 'Pod',
  shortNames: ['po'],
  status: true,
  selectableFields: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
};

const INVOLVED_OBJECT = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

export const EVENTS: Resource = {
  ...CORE,
  plural: 'events',
  singular: 'event',
  kind: 'Event',
  shortNames: ['ev'],
  selectableFields: [
    ...INVOLVED_OBJECT.map((field) => `involvedObject.${field}`),
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
};

export const CONFIG_MAPS: Resource = {
  ...CORE,
  plural: 'configmaps',
  singular: 'configmap',
  kind: 'ConfigMap',
  shortNames: ['cm'],
  selectableFields: [],
};

export const NAMESPACES: Resource = {
  ...CORE,
  plural: 'namespaces',
  singular: 'namespace',
  kind: 'Namespace',
  shortNames: ['ns'],
  namespaced: false,
  status: true,
  selectableFields: ['status.phase'],
};

const LEASES: Resource = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  singular: 'lease',
  kind: 'Lease',
  shortNames: [],
  namespaced: true,
  status: false,
  selectableFields: [],
};

/** What is served unless the caller says otherwise. */
export const RESOURCES: readonly Resource[] = [NODES, PODS, EVENTS, CONFIG_MAPS, NAMESPACES, LEASES];

/** `v1` or `coordination.k8s.io/v1`. */
export function apiVersionOf(resource: Resource): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** Name in messages of the API server: `nodes`, `leases.coordination.k8s.io`. */
export function qualifiedName(resource: Resource): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}
