import { describe, expect, it } from 'vitest';
import { hostMaintenance, type Machine } from './host-maintenance.ts';

const PLAIN: Machine = {
  machineType: 'e2-standard-4',
  hasAccelerator: false,
  confidential: '',
  gkeVersion: '1.35.6-gke.1234000',
};

function of(machine: Partial<Machine>): string {
  const { liveMigration, notice } = hostMaintenance({ ...PLAIN, ...machine });
  return `${liveMigration}, ${notice}`;
}

describe('hostMaintenance', () => {
  it.each<[string, Partial<Machine>, string]>([
    ['a general machine migrates and needs no notice', {}, 'supported, none'],
    [
      'a GPU attached to a general machine',
      { machineType: 'n1-standard-8', hasAccelerator: true },
      'unsupported, supported',
    ],
    ['a GPU machine, even before its labels', { machineType: 'a4-highgpu-8g' }, 'unsupported, supported'],
    ['a GPU machine of the X line', { machineType: 'a4x-highgpu-4g' }, 'unsupported, supported'],
    ['a G machine', { machineType: 'g2-standard-4' }, 'unsupported, supported'],
    ['a TPU machine, even before its labels', { machineType: 'ct6e-standard-4t' }, 'unsupported, supported'],
    [
      'a GPU on the first version with notices',
      { hasAccelerator: true, gkeVersion: '1.31.1-gke.2008000' },
      'unsupported, supported',
    ],
    [
      'a GPU on the version before',
      { hasAccelerator: true, gkeVersion: '1.31.1-gke.2007999' },
      'unsupported, unsupported',
    ],
    [
      'a GPU on a version that cannot be read',
      { hasAccelerator: true, gkeVersion: 'v1.32.1-eks-5' },
      'unsupported, unknown',
    ],
    [
      'a GPU on a node that has not said its version',
      { hasAccelerator: true, gkeVersion: '' },
      'unsupported, unknown',
    ],
    ['H4D', { machineType: 'h4d-highmem-192-lssd' }, 'unsupported, supported'],
    [
      'H4D before its notices',
      { machineType: 'h4d-standard-192', gkeVersion: '1.32.6-gke.1059999' },
      'unsupported, unsupported',
    ],
    ['Z3 with 36,000 GiB', { machineType: 'z3-highmem-88-highlssd' }, 'unsupported, supported'],
    ['Z3 with 36,000 GiB under its first name', { machineType: 'z3-highmem-88' }, 'unsupported, supported'],
    [
      'Z3 with 36,000 GiB in the standard shape',
      { machineType: 'z3-highmem-176-standardlssd' },
      'unsupported, supported',
    ],
    ['Z3 as bare metal', { machineType: 'z3-highmem-192-highlssd-metal' }, 'unsupported, supported'],
    [
      'Z3 before its notices',
      { machineType: 'z3-highmem-176', gkeVersion: '1.32.4-gke.1375999' },
      'unsupported, unsupported',
    ],
    ['Z3 with exactly 18,000 GiB', { machineType: 'z3-highmem-44-highlssd' }, 'supported, none'],
    [
      'Z3 with exactly 18,000 GiB in the standard shape',
      { machineType: 'z3-highmem-88-standardlssd' },
      'supported, none',
    ],
    ['C4A metal', { machineType: 'c4a-highmem-96-metal' }, 'unsupported, supported'],
    [
      'C4A metal before its notices',
      { machineType: 'c4a-highmem-96-metal', gkeVersion: '1.35.0-gke.2231999' },
      'unsupported, unsupported',
    ],
    ['C4A that is no metal', { machineType: 'c4a-highmem-72' }, 'supported, none'],
    [
      'C4D metal, for which no version is published',
      { machineType: 'c4d-standard-384-metal' },
      'unsupported, unknown',
    ],
    ['metal of another series', { machineType: 'c3-standard-192-metal' }, 'unsupported, unknown'],
    [
      'Z4D with 84,000 GiB',
      { machineType: 'z4d-highmem-192-highlssd', gkeVersion: '1.36.3-gke.1244000' },
      'unsupported, supported',
    ],
    [
      'Z4D with 84,000 GiB in the standard shape',
      { machineType: 'z4d-highmem-384-standardlssd' },
      'unsupported, unsupported',
    ],
    ['Z4D with exactly 42,000 GiB', { machineType: 'z4d-highmem-192-standardlssd' }, 'supported, none'],
    [
      'Z4D with exactly 42,000 GiB in the high shape',
      { machineType: 'z4d-highmem-96-highlssd' },
      'supported, none',
    ],
    ['Z4M, whose name does not tell', { machineType: 'z4m-highmem-192' }, 'unknown, unknown'],
    [
      'a Confidential node with SEV-SNP',
      { machineType: 'n2d-standard-4', confidential: 'SEV_SNP' },
      'unsupported, unknown',
    ],
    [
      'a Confidential node with TDX',
      { machineType: 'c3-standard-4', confidential: 'TDX' },
      'unsupported, unknown',
    ],
    [
      'SEV on N2D, where it depends on the host',
      { machineType: 'n2d-standard-4', confidential: 'SEV' },
      'unknown, unknown',
    ],
    [
      'SEV on another machine',
      { machineType: 'c2d-standard-4', confidential: 'SEV' },
      'unsupported, unknown',
    ],
    ['a node that has not said its machine type', { machineType: '' }, 'unknown, unknown'],
  ])('%s', (_, machine, expected) => {
    expect(of(machine)).toBe(expected);
  });
});
