/** What Compute Engine puts into a machine. From its documentation of machine families. */
interface Machine {
  readonly cpus: number;
  readonly memoryGiB: number;
}

const MACHINES: Readonly<Record<string, Machine>> = {
  'a4-highgpu-8g': { cpus: 224, memoryGiB: 3968 },
  'ct6e-standard-4t': { cpus: 180, memoryGiB: 720 },
  'h4d-highmem-192-lssd': { cpus: 192, memoryGiB: 1488 },
  'z3-highmem-88-highlssd': { cpus: 88, memoryGiB: 704 },
};

const STANDARD_GIB_PER_CPU = 4;
const HIGHMEM_GIB_PER_CPU = 8;

/** Processors and memory of a machine type; of one that is not listed, what its name says, or a small machine. */
export function machineOf(machineType: string): Machine {
  const listed = MACHINES[machineType];
  if (listed !== undefined) return listed;
  const cpus = Number(/-(\d+)(?:-|$)/u.exec(machineType)?.[1] ?? '4');
  const perCpu = machineType.includes('highmem') ? HIGHMEM_GIB_PER_CPU : STANDARD_GIB_PER_CPU;
  return { cpus, memoryGiB: cpus * perCpu };
}

/** `a4` of `a4-highgpu-8g`. */
export function machineFamily(machineType: string): string {
  return machineType.split('-')[0] ?? machineType;
}

/** Chips of a TPU machine: 4 of `ct6e-standard-4t`. */
export function tpuChips(machineType: string): number {
  return Number(/-(\d+)t$/u.exec(machineType)?.[1] ?? '4');
}
