import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GPU_FAULT_REPAIR, Replay, readRecording } from '../simulator/gke/recording.ts';
import { parseScenario } from '../simulator/gke/scenario.ts';
import { NODES } from '../simulator/kubernetes/resource.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type ExporterProcess, ONLY_NODES, startExporterProcess } from './exporter-process.ts';
import { aboutCluster, scrape, scrapeUntil } from './scrape.ts';

const SCENARIO = parseScenario(
  {
    cluster: { name: 'recorded', location: 'us-central1', project: 'example', version: '1.35.6-gke.1234000' },
    pools: [
      {
        name: 'a4',
        nodes: 1,
        machineType: 'a4-highgpu-8g',
        zones: ['us-central1-b'],
        accelerator: { type: 'nvidia-b200', count: 8 },
      },
    ],
  },
  'recorded',
);

/** What the exporter must say of the cluster after each step: text by the step's note. */
const EXPECTED = new Map(
  readFileSync(new URL('fixtures/gpu-fault-repair.txt', import.meta.url), 'utf8')
    .split(/^== /mu)
    .slice(1)
    .map((section): [string, string] => {
      const [note = ''] = section.split('\n', 1);
      return [note, section.slice(note.length + 1)];
    }),
);

describe('the recording of a GPU node that failed and was repaired', () => {
  let simulator: Simulator;
  let exporter: ExporterProcess;
  let replay: Replay;

  beforeAll(async () => {
    simulator = await startSimulator({ scenario: SCENARIO, images: 0 });
    const [node] = simulator.cluster.list(NODES);
    if (node === undefined) throw new Error('the scenario has a node');
    const { name } = node.metadata;
    simulator.cluster.update(NODES, name, ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, 'container.googleapis.com/instance_id': '4711' };
    });
    replay = new Replay(simulator.cluster, name, readRecording(GPU_FAULT_REPAIR), { start: 'exact' });
    exporter = await startExporterProcess([
      `--kubernetes.kubeconfig=${simulator.kubeconfigPath}`,
      ...ONLY_NODES,
    ]);
  });
  afterAll(async () => {
    await exporter.stop();
    await simulator.stop();
  });

  it.each(readRecording(GPU_FAULT_REPAIR).map(({ note }) => note))('%s', async (note) => {
    expect(replay.step()?.note).toBe(note);
    const expected = EXPECTED.get(note) ?? '';
    const text = await scrapeUntil(exporter.url, (each) => aboutCluster(each) === expected).catch(() =>
      scrape(exporter.url),
    );
    expect(aboutCluster(text)).toBe(expected);
  });
});
