import { createHash, randomInt } from 'node:crypto';
import { kubernetesTime, type NewObject } from '../kubernetes/object.ts';
import type { ContainerImage, Node, NodeCondition, Taint } from '../kubernetes/resource.ts';
import { machineFamily, machineOf, tpuChips } from './machine-type.ts';
import { INSTANCE_ID, NODE_POOL, SPOT, ZONE } from './node-signal.ts';
import type { Cluster, NodePool } from './scenario.ts';

/** What a Node object is made from. */
export interface NodeIdentity {
  readonly cluster: Cluster;
  readonly pool: NodePool;
  /** Place in the pool, from 0. */
  readonly index: number;
  readonly images: readonly ContainerImage[];
}

/** A Ready Node as GKE registers it: shape, labels, annotations and taints as on a cluster of GKE 1.35. */
export function gkeNode(identity: NodeIdentity): NewObject<Node> {
  const { cluster, pool, index, images } = identity;
  const name = nodeName(cluster, pool, index);
  const zone = zoneOf(pool, index);
  const taints = nodeTaints(pool);
  const labels = nodeLabels(identity, name, zone);
  return {
    metadata: {
      name,
      labels,
      annotations: nodeAnnotations(labels, `projects/${cluster.project}/zones/${zone}/instances/${name}`),
    },
    spec: {
      podCIDR: podCidr(index),
      podCIDRs: [podCidr(index)],
      providerID: `gce://${cluster.project}/${zone}/${name}`,
      ...(taints.length === 0 ? {} : { taints }),
    },
    status: {
      capacity: resources(pool, 1),
      allocatable: resources(pool, 0.94),
      conditions: readyConditions(Date.now()),
      addresses: [
        { type: 'InternalIP', address: `10.128.${octets(index)}` },
        { type: 'Hostname', address: name },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
      nodeInfo: nodeInfo(pool.version ?? cluster.version, name),
      images,
    },
  };
}

/** Letters and digits of the random parts of GKE's names. */
const ALPHABET = '0123456789bcdfghjklmnpqrstvwxz';
const SUFFIXES = ALPHABET.length ** 4;
/** Has no factor in common with the number of suffixes, so that no two indexes have one suffix. */
const STRIDE = 387_421;

/** `gke-CLUSTER-POOL-HASH-XXXX`; the hash is the instance group's, one for each zone. */
export function nodeName(cluster: Cluster, pool: NodePool, index: number): string {
  const hash = digest(`${cluster.name}/${pool.name}/${zoneOf(pool, index)}`).slice(0, 8);
  let number = ((index + 1) * STRIDE) % SUFFIXES;
  let suffix = '';
  for (let place = 0; place < 4; place += 1) {
    suffix += ALPHABET[number % ALPHABET.length];
    number = Math.floor(number / ALPHABET.length);
  }
  return `gke-${cluster.name}-${pool.name}-${hash}-${suffix}`;
}

function zoneOf(pool: NodePool, index: number): string {
  return pool.zones[index % pool.zones.length] ?? '';
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function nodeLabels(
  { cluster, pool, index }: NodeIdentity,
  name: string,
  zone: string,
): Record<string, string> {
  const region = zone.slice(0, zone.lastIndexOf('-'));
  const family = machineFamily(pool.machineType);
  return {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/instance-type': pool.machineType,
    'beta.kubernetes.io/os': 'linux',
    'cloud.google.com/gke-boot-disk': 'hyperdisk-balanced',
    'cloud.google.com/gke-container-runtime': 'containerd',
    'cloud.google.com/gke-cpu-scaling-level': String(machineOf(pool.machineType).cpus),
    'cloud.google.com/gke-logging-variant': 'DEFAULT',
    'cloud.google.com/gke-max-pods-per-node': '110',
    'cloud.google.com/gke-memory-gb-scaling-level': String(machineOf(pool.machineType).memoryGiB),
    [NODE_POOL]: pool.name,
    'cloud.google.com/gke-os-distribution': 'cos',
    'cloud.google.com/gke-provisioning': pool.provisioning,
    'cloud.google.com/gke-stack-type': 'IPV4',
    'cloud.google.com/machine-family': family,
    'cloud.google.com/private-node': 'false',
    'failure-domain.beta.kubernetes.io/region': region,
    'failure-domain.beta.kubernetes.io/zone': zone,
    'iam.gke.io/gke-metadata-server-enabled': 'true',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': pool.machineType,
    'topology.gke.io/zone': zone,
    'topology.kubernetes.io/region': region,
    [ZONE]: zone,
    ...provisioningLabels(pool),
    ...acceleratorLabels(cluster, pool, index),
  };
}

function provisioningLabels({ provisioning }: NodePool): Record<string, string> {
  if (provisioning === 'spot') return { [SPOT]: 'true' };
  return provisioning === 'preemptible' ? { 'cloud.google.com/gke-preemptible': 'true' } : {};
}

const HOSTS_OF_A_SUBBLOCK = 16;
const HOSTS_OF_A_BLOCK = 128;

function acceleratorLabels(cluster: Cluster, pool: NodePool, index: number): Record<string, string> {
  const place = (size: number) =>
    digest(`${cluster.name}/${pool.name}/${size}/${Math.floor(index / size)}`).slice(0, 32);
  return {
    ...(pool.accelerator === undefined
      ? {}
      : {
          'cloud.google.com/gke-accelerator': pool.accelerator.type,
          'cloud.google.com/gke-accelerator-count': String(pool.accelerator.count),
          'cloud.google.com/gke-gpu': 'true',
          'cloud.google.com/gke-gpu-driver-version': 'default',
          'cloud.google.com/gce-topology-block': place(HOSTS_OF_A_BLOCK),
          'cloud.google.com/gce-topology-subblock': place(HOSTS_OF_A_SUBBLOCK),
          'cloud.google.com/gce-topology-host': place(1),
        }),
    ...(pool.tpu === undefined
      ? {}
      : {
          'cloud.google.com/gke-accelerator-count': String(tpuChips(pool.machineType)),
          'cloud.google.com/gke-tpu-accelerator': pool.tpu.accelerator,
          'cloud.google.com/gke-tpu-topology': pool.tpu.topology,
        }),
  };
}

function nodeAnnotations(labels: Readonly<Record<string, string>>, instance: string): Record<string, string> {
  const applied = Object.entries(labels).filter(([key]) => key.startsWith('cloud.google.com/'));
  return {
    [INSTANCE_ID]: newInstanceId(),
    'csi.volume.kubernetes.io/nodeid': JSON.stringify({ 'pd.csi.storage.gke.io': instance }),
    'node.alpha.kubernetes.io/ttl': '0',
    'node.gke.io/last-applied-node-labels': applied.map(([key, value]) => `${key}=${value}`).join(','),
    'node.gke.io/last-applied-node-taints': '',
    'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
  };
}

/** A VM's numeric id, as text: it does not fit into a JavaScript number. */
function newInstanceId(): string {
  const nineDigits = () => String(randomInt(0, 1_000_000_000)).padStart(9, '0');
  return `${randomInt(1, 9)}${nineDigits()}${nineDigits()}`;
}

function nodeTaints(pool: NodePool): Taint[] {
  if (pool.accelerator !== undefined)
    return [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }];
  return pool.tpu === undefined ? [] : [{ key: 'google.com/tpu', value: 'present', effect: 'NoSchedule' }];
}

const KIB_OF_A_GIB = 1024 * 1024;

function resources(pool: NodePool, share: number): Record<string, string> {
  const { cpus, memoryGiB } = machineOf(pool.machineType);
  return {
    cpu: share === 1 ? String(cpus) : `${Math.floor(cpus * share * 1000)}m`,
    'ephemeral-storage': '98831908Ki',
    'hugepages-1Gi': '0',
    'hugepages-2Mi': '0',
    memory: `${Math.floor(memoryGiB * KIB_OF_A_GIB * share)}Ki`,
    pods: '110',
    ...(pool.accelerator === undefined ? {} : { 'nvidia.com/gpu': String(pool.accelerator.count) }),
    ...(pool.tpu === undefined ? {} : { 'google.com/tpu': String(tpuChips(pool.machineType)) }),
  };
}

/** Conditions of a node that is well: those of the kubelet and of GKE's node problem detector. */
export function readyConditions(now: number): NodeCondition[] {
  const time = kubernetesTime(now);
  const condition = (type: string, reason: string, message: string): NodeCondition => ({
    type,
    status: type === 'Ready' ? 'True' : 'False',
    lastHeartbeatTime: time,
    lastTransitionTime: time,
    reason,
    message,
  });
  return [
    condition('KernelDeadlock', 'KernelHasNoDeadlock', 'kernel has no deadlock'),
    condition('ReadonlyFilesystem', 'FilesystemIsNotReadOnly', 'Filesystem is not read-only'),
    condition('FrequentKubeletRestart', 'NoFrequentKubeletRestart', 'kubelet is functioning properly'),
    condition(
      'FrequentContainerdRestart',
      'NoFrequentContainerdRestart',
      'containerd is functioning properly',
    ),
    condition('NetworkUnavailable', 'RouteCreated', 'NodeController create implicit route'),
    condition('MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
    condition('DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
    condition('PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
    condition('Ready', 'KubeletReady', 'kubelet is posting ready status'),
  ];
}

function nodeInfo(version: string, name: string): Record<string, string> {
  const id = digest(name).slice(0, 32);
  return {
    architecture: 'amd64',
    bootID: id,
    containerRuntimeVersion: 'containerd://2.0.6',
    kernelVersion: '6.6.97+',
    kubeProxyVersion: `v${version}`,
    kubeletVersion: `v${version}`,
    machineID: id,
    operatingSystem: 'linux',
    osImage: 'Container-Optimized OS from Google',
    systemUUID: id,
  };
}

function octets(index: number): string {
  return `${Math.floor(index / 250) % 250}.${(index % 250) + 2}`;
}

function podCidr(index: number): string {
  return `10.${4 + (Math.floor(index / 256) % 100)}.${index % 256}.0/24`;
}
