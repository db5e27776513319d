import { type GkeVersion, isAtLeast, parseGkeVersion } from './gke-version.ts';

/** Whether Compute Engine moves a VM away before host maintenance, or stops it. */
export type LiveMigration = 'supported' | 'unsupported' | 'unknown';

/** Whether GKE shows a coming maintenance on the node; `none` where nothing needs to be announced. */
export type MaintenanceNotice = 'supported' | 'unsupported' | 'unknown' | 'none';

/** What of a node decides how it meets host maintenance. Empty text: not known. */
export interface Machine {
  /** Compute Engine machine type, `a4-highgpu-8g`. */
  readonly machineType: string;
  /** Whether a GPU or TPU is attached, by the labels of the node. */
  readonly hasAccelerator: boolean;
  /** Confidential computing technology by the node's label: `SEV`, `SEV_SNP`, `TDX`, or empty. */
  readonly confidential: string;
  /** GKE version of the node, `1.35.6-gke.1234000`. */
  readonly gkeVersion: string;
}

/** A kind of machine that does not live migrate, and the first GKE version that announces its maintenance. */
interface MachineKind {
  readonly matches: (machine: Machine) => boolean;
  /** Undefined where Google has published none. */
  readonly firstNotice: string | undefined;
}

/** Accelerator series are told by name too: a node can come up before its labels say what is attached. */
const ACCELERATOR_SERIES = /^(?:a[2-9]x?|g[2-9]|ct\d\w*|tpu\w*)-/u;

/** More than 18,000 GiB of Titanium SSD: both names of the two largest shapes, and metal. */
const LARGE_Z3 = /^z3-highmem-(?:88|88-highlssd|176|176-standardlssd|192-highlssd-metal)$/u;

/** Z4D has 218.75 GiB of Titanium SSD for each vCPU in standardlssd shapes, and twice that in highlssd shapes. */
const Z4D_SHAPE = /^z4d-highmem-(?<vcpus>\d+)-(?<shape>standardlssd|highlssd)$/u;
const Z4D_GIB_PER_VCPU: Record<string, number> = { standardlssd: 218.75, highlssd: 437.5 };
const Z4D_LARGEST_MIGRATING_GIB = 42_000;

function isLargeZ4d(machineType: string): boolean {
  const { vcpus, shape } = Z4D_SHAPE.exec(machineType)?.groups ?? {};
  return Number(vcpus ?? 0) * (Z4D_GIB_PER_VCPU[shape ?? ''] ?? 0) > Z4D_LARGEST_MIGRATING_GIB;
}

/**
 * Machines without live migration, the first that fits counts.
 * Sources: GKE documentation "Manage disruption to GKE nodes that don't live migrate" and "Monitor maintenance events",
 * Compute Engine documentation "Host maintenance overview" and "Storage-optimized machines", November 2026.
 */
const KINDS_WITHOUT_LIVE_MIGRATION: readonly MachineKind[] = [
  {
    matches: (machine) => machine.hasAccelerator || ACCELERATOR_SERIES.test(machine.machineType),
    firstNotice: '1.31.1-gke.2008000',
  },
  { matches: ({ machineType }) => LARGE_Z3.test(machineType), firstNotice: '1.32.4-gke.1376000' },
  { matches: ({ machineType }) => machineType.startsWith('h4d-'), firstNotice: '1.32.6-gke.1060000' },
  { matches: ({ machineType }) => machineType === 'c4a-highmem-96-metal', firstNotice: '1.35.0-gke.2232000' },
  { matches: ({ machineType }) => isLargeZ4d(machineType), firstNotice: '1.36.3-gke.1244000' },
  { matches: ({ machineType }) => machineType.endsWith('-metal'), firstNotice: undefined },
  { matches: ({ confidential }) => confidential !== '' && confidential !== 'SEV', firstNotice: undefined },
  {
    matches: ({ confidential, machineType }) => confidential === 'SEV' && !machineType.startsWith('n2d-'),
    firstNotice: undefined,
  },
];

/**
 * Z4M stops for maintenance above 48 TiB of SSD or with Cloud RDMA, which neither name nor label tells;
 * SEV on N2D migrates only on newer hosts.
 */
function canTell(machine: Machine): boolean {
  return machine.machineType !== '' && !machine.machineType.startsWith('z4m-') && machine.confidential === '';
}

/** Decides from machine type, accelerator and GKE version how a node meets host maintenance. */
export function hostMaintenance(machine: Machine): {
  liveMigration: LiveMigration;
  notice: MaintenanceNotice;
} {
  const kind = KINDS_WITHOUT_LIVE_MIGRATION.find(({ matches }) => matches(machine));
  if (kind !== undefined) {
    return { liveMigration: 'unsupported', notice: noticeSince(kind.firstNotice, machine.gkeVersion) };
  }
  return canTell(machine)
    ? { liveMigration: 'supported', notice: 'none' }
    : { liveMigration: 'unknown', notice: 'unknown' };
}

function noticeSince(firstNotice: string | undefined, gkeVersion: string): MaintenanceNotice {
  const first = parseVersion(firstNotice);
  const version = parseVersion(gkeVersion);
  if (first === undefined || version === undefined) return 'unknown';
  return isAtLeast(version, first) ? 'supported' : 'unsupported';
}

function parseVersion(text: string | undefined): GkeVersion | undefined {
  return text === undefined ? undefined : parseGkeVersion(text);
}
