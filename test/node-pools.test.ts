import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NODES } from '../simulator/kubernetes/resource.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type ExporterProcess, startExporterProcess } from './exporter-process.ts';
import { scrapeUntil } from './scrape.ts';

const POOL = 'cloud.google.com/gke-nodepool';

describe('the counts of node pools', () => {
  let simulator: Simulator;
  let exporter: ExporterProcess;

  function put(name: string, pool: string | undefined, ready = 'True', uid = `uid-${name}`): void {
    simulator.cluster.put(NODES, {
      metadata: { name, uid, labels: pool === undefined ? {} : { [POOL]: pool } },
      status: { conditions: [{ type: 'Ready', status: ready }] },
    });
  }

  /** Waits until the counts are these: `pool nodes/ready`. */
  async function counts(expected: readonly string[]): Promise<string[]> {
    let found: string[] = [];
    const text = await scrapeUntil(exporter.url, (each) => {
      found = countsOf(each);
      return found.join() === expected.join();
    });
    return countsOf(text);
  }

  beforeAll(async () => {
    simulator = await startSimulator();
    exporter = await startExporterProcess(simulator.exporterFlags);
  });
  afterAll(async () => {
    await exporter.stop();
    await simulator.stop();
  });

  it.each<[string, () => void, string[]]>([
    [
      'nodes come',
      () => {
        put('a', 'x');
        put('b', 'x');
        put('c', 'y');
      },
      ['x 2/2', 'y 1/1'],
    ],
    ['a node is not Ready', () => put('a', 'x', 'False'), ['x 2/1', 'y 1/1']],
    ['its state is Unknown', () => put('a', 'x', 'Unknown'), ['x 2/1', 'y 1/1']],
    ['it is Ready again', () => put('a', 'x'), ['x 2/2', 'y 1/1']],
    ['a node has no pool', () => put('d', undefined), [' 1/1', 'x 2/2', 'y 1/1']],
    ['a node moves to another pool', () => put('b', 'y'), [' 1/1', 'x 1/1', 'y 2/2']],
    ['the last node of a pool goes', () => simulator.cluster.delete(NODES, 'a'), [' 1/1', 'y 2/2']],
    [
      'a node is made anew under its name',
      () => {
        simulator.cluster.delete(NODES, 'b');
        put('b', 'y', 'False', 'uid-b-2');
      },
      [' 1/1', 'y 2/1'],
    ],
  ])('are right when %s', async (_, change, expected) => {
    change();
    expect(await counts(expected)).toEqual(expected);
  });
});

function countsOf(text: string): string[] {
  const ready = new Map(
    [...text.matchAll(/^gke_node_pool_nodes_ready\{node_pool="(\w*)"\} (\d+)$/gmu)].map(([, pool, count]) => [
      pool,
      count,
    ]),
  );
  return [...text.matchAll(/^gke_node_pool_nodes\{node_pool="(\w*)"\} (\d+)$/gmu)]
    .map(([, pool, count]) => `${pool} ${count}/${ready.get(pool)}`)
    .toSorted((one, other) => one.localeCompare(other));
}
