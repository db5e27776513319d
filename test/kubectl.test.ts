import { execFile as execFileWithCallback } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseScenario } from '../simulator/gke/scenario.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type ExporterProcess, startExporterProcess } from './exporter-process.ts';
import { samplesOf, scrapeUntil } from './scrape.ts';
import { requireTool } from './tools.ts';

const execFile = promisify(execFileWithCallback);

const SCENARIO = parseScenario(
  {
    // An hour passes in twelve seconds.
    speed: 300,
    cluster: { name: 'operated', location: 'us-central1', project: 'example', version: '1.35.6-gke.1234000' },
    pools: [
      {
        name: 'a4',
        nodes: 2,
        machineType: 'a4-highgpu-8g',
        zones: ['us-central1-b'],
        accelerator: { type: 'nvidia-b200', count: 8 },
      },
    ],
    events: [
      { at: '0s', what: 'maintenance', pool: 'a4', startsIn: '30d', repairTakes: '10m', clearsAfter: '10m' },
    ],
  },
  'operated',
);

/** What the operator sees in `/metrics`, in this order. Each stage holds until the next. */
const STAGES: readonly (readonly [stage: string, holds: (samples: string) => boolean])[] = [
  [
    'announced, and can be moved',
    (samples) =>
      samples.includes('gke_node_maintenance_can_reschedule{') && /can_reschedule\{[^}]*\} 1/u.test(samples),
  ],
  ['requested', (samples) => samples.includes('gke_node_perform_maintenance_requested')],
  [
    'begun',
    (samples) =>
      /gke_node_active_maintenance\{[^}]*state="passthrough"\} 1/u.test(samples) &&
      /status="ONGOING"\} 1/u.test(samples),
  ],
  ['window open', (samples) => samples.includes('gke_node_maintenance_window_open')],
  ['down', (samples) => /gke_disrupted_node_ready\{[^}]*\} 0/u.test(samples)],
  ['back', (samples) => /gke_disrupted_node_ready\{[^}]*\} 1/u.test(samples)],
  [
    'over',
    (samples) => !(samples.includes('maintenance_status') || samples.includes('gke_node_active_maintenance')),
  ],
];

describe('an operator with kubectl', () => {
  let simulator: Simulator;
  let exporter: ExporterProcess;
  let node: string;

  async function kubectl(...args: string[]): Promise<string> {
    const env = { ...process.env, KUBECONFIG: simulator.kubeconfigPath };
    return (await execFile(requireTool('kubectl'), args, { env })).stdout;
  }

  beforeAll(async () => {
    simulator = await startSimulator({ scenario: SCENARIO, images: 0 });
    exporter = await startExporterProcess(simulator.exporterFlags);
    await simulator.happenings.until(({ what }) => what === 'maintenance scheduled');
  });
  afterAll(async () => {
    await exporter.stop();
    await simulator.stop();
  });

  it('finds the nodes with maintenance by the documented command', async () => {
    const label = 'cloud.google.com/scheduled-maintenance-time';
    const [header = '', row = '', ...others] = (await kubectl('get', 'nodes', '-l', label, '-L', label))
      .trimEnd()
      .split('\n');
    expect(header.split(/\s{2,}/u)).toEqual([
      'NAME',
      'STATUS',
      'ROLES',
      'AGE',
      'VERSION',
      'SCHEDULED-MAINTENANCE-TIME',
    ]);
    expect(others).toEqual([]);
    const [name = '', status, , , version, time] = row.split(/\s+/u);
    expect([status, version]).toEqual(['Ready', 'v1.35.6-gke.1234000']);
    expect(Number(time) * 1000).toBeGreaterThan(Date.now());
    node = name;
  });

  it('starts the maintenance by the documented label, and sees every stage of it in /metrics', async () => {
    const seen: string[] = [];
    const stages = [...STAGES];
    const watch = scrapeUntil(exporter.url, (text) => {
      const samples = samplesOf(text, node).join('\n');
      for (let [next] = stages; next?.[1](samples); [next] = stages) {
        seen.push(next[0]);
        stages.shift();
      }
      return stages.length === 0;
    });
    await scrapeUntil(exporter.url, () => seen.length === 1);
    expect(await kubectl('label', 'nodes', node, 'cloud.google.com/perform-maintenance=true')).toBe(
      `node/${node} labeled\n`,
    );
    await watch;
    expect(seen).toEqual(STAGES.map(([stage]) => stage));
  });
});
