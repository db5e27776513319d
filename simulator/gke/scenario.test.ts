import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseScenario, readScenario, ScenarioError } from './scenario.ts';

const FOLDER = fileURLToPath(new URL('../scenarios', import.meta.url));

it.each(readdirSync(FOLDER))('scenarios/%s can be run', (file) => {
  expect(readScenario(join(FOLDER, file)).pools.length).toBeGreaterThan(0);
});

it('the demo has about 200 nodes in six pools', () => {
  const { pools } = readScenario(join(FOLDER, 'demo.yaml'));
  expect(pools).toHaveLength(6);
  expect(pools.reduce((sum, { nodes }) => sum + nodes, 0)).toBe(200);
});

describe('a scenario that cannot be run is refused with path and reason', () => {
  const POOLS = 'pools: [{ name: a, nodes: 3 }]\n';
  it.each([
    ['', 'expected a scenario'],
    ['speed: 1', 'pools: missing'],
    ['pools: []', 'pools: expected a pool'],
    [`${POOLS}speed: 0`, 'speed: expected a positive number'],
    [`${POOLS}sped: 2`, 'sped: unknown key'],
    ['pools: [{ name: A, nodes: 3 }]', 'pools[0].name: expected a name of small letters, digits and hyphens'],
    ['pools: [{ name: a, nodes: 0 }]', 'pools[0].nodes: expected a whole number from 1'],
    ['pools: [{ name: a, nodes: 1 }, { name: a, nodes: 1 }]', 'pools[1].name: there is a pool a already'],
    [
      'pools: [{ name: a, nodes: 1, zones: [x] }]',
      'pools[0].zones[0]: expected a zone, such as us-central1-b',
    ],
    [
      'pools: [{ name: a, nodes: 1, tpu: { accelerator: x, topology: big } }]',
      'pools[0].tpu.topology: expected a topology, such as 4x4',
    ],
    [
      'pools: [{ name: a, nodes: 1, provisioning: cheap }]',
      'pools[0].provisioning: expected standard, spot, preemptible or flex-start',
    ],
    [
      `${POOLS}cluster: { version: latest }`,
      'cluster.version: expected a GKE version, such as 1.35.6-gke.1234000',
    ],
    [`${POOLS}events: 5`, 'events: expected a list of events'],
    [
      `${POOLS}events: [{ at: 1m, what: party, pool: a }]`,
      'events[0].what: expected one of: maintenance, cancelled maintenance, perform maintenance, cordon, uncordon, preemption, host error, upgrade, defragmentation',
    ],
    [`${POOLS}events: [{ at: 1m, what: maintenance, pool: a }]`, 'events[0].startsIn: missing'],
    [
      `${POOLS}events: [{ at: 1m, what: maintenance, pool: a, startsIn: soon }]`,
      'events[0].startsIn: expected a duration',
    ],
    [`${POOLS}events: [{ at: 90, what: cordon, pool: a }]`, 'events[0].at: expected a duration'],
    [`${POOLS}events: [{ at: 1m, what: cordon, pool: b }]`, 'events[0].pool: there is no pool b'],
    [`${POOLS}events: [{ at: 1m, what: cordon, pool: a, node: 3 }]`, 'events[0].node: the pool has 3 nodes'],
    [
      `${POOLS}events: [{ at: 1m, what: cordon, pool: a, nodes: 4 }]`,
      'events[0].nodes: the pool has 3 nodes',
    ],
    [
      `${POOLS}events: [{ at: 1m, what: cordon, pool: a, node: 1, nodes: 1 }]`,
      'events[0].nodes: give either node or nodes',
    ],
    [
      `${POOLS}events: [{ at: 1m, what: upgrade, pool: a, version: 1.36.0-gke.1, node: 1 }]`,
      'events[0].node: unknown key',
    ],
  ])('%j: %s', (yaml, reason) => {
    expect(() => parseScenario(parse(yaml), 'x.yaml')).toThrow(new ScenarioError(`x.yaml: ${reason}`));
  });

  it('names a file that is no YAML, or is not there', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'scenario-'));
    const file = join(folder, 'bad.yaml');
    await writeFile(file, 'pools: [\n');
    expect(() => readScenario(file)).toThrow(`${file}: Flow sequence in block collection`);
    expect(() => readScenario(join(folder, 'absent.yaml'))).toThrow(
      'absent.yaml: ENOENT: no such file or directory',
    );
    await rm(folder, { recursive: true });
  });
});
