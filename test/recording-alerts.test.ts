import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ruleFiles } from '../alerts/forms.ts';
import { DEFAULT_SETTINGS, readSettings, type Settings } from '../alerts/settings.ts';
import { GPU_FAULT_REPAIR, Replay, readRecording } from '../simulator/gke/recording.ts';
import { parseScenario } from '../simulator/gke/scenario.ts';
import { NODES } from '../simulator/kubernetes/resource.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type Alertmanager, startAlertmanager } from './alertmanager.ts';
import { type ExporterProcess, ONLY_NODES, startExporterProcess } from './exporter-process.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';

/** Five minutes are a second: 16 hours are three minutes. */
const SPEED = 300;
const MINUTE = 60_000 / SPEED;

const SCENARIO = parseScenario(
  {
    speed: SPEED,
    pools: [
      { name: 'a4', nodes: 4, machineType: 'a4-highgpu-8g', accelerator: { type: 'nvidia-b200', count: 8 } },
    ],
  },
  'recorded',
);

/** The rules of a cluster whose clock runs faster. */
function hurried(settings: Settings): Settings {
  const { gap, soon, imminent, work_begins_within, overrun, sources_disagree, stale_data } = settings;
  return {
    ...settings,
    // On a busy machine a scrape may be two seconds late.
    gap: (3 * gap) / SPEED,
    soon: soon / SPEED,
    imminent: imminent / SPEED,
    work_begins_within: work_begins_within / SPEED,
    overrun: overrun / SPEED,
    sources_disagree: sources_disagree / SPEED,
    stale_data: stale_data / SPEED,
  };
}

describe('the recording of a GPU node that failed and was repaired', () => {
  let simulator: Simulator;
  let exporter: ExporterProcess;
  let alertmanager: Alertmanager;
  let prometheus: Prometheus;
  let replay: Replay;

  beforeAll(async () => {
    simulator = await startSimulator({ scenario: SCENARIO, images: 0 });
    exporter = await startExporterProcess([
      `--kubernetes.kubeconfig=${simulator.kubeconfigPath}`,
      ...ONLY_NODES,
    ]);
    alertmanager = await startAlertmanager({ webhook: 'http://127.0.0.1:9/' });
    prometheus = await startPrometheus([new URL(exporter.url).host], {
      interval: `${MINUTE}ms`,
      rules: ruleFiles(hurried(readSettings(DEFAULT_SETTINGS))).get('prometheus.rules.yml') ?? '',
      alertmanager: new URL(alertmanager.url).host,
    });
  });
  afterAll(async () => {
    await prometheus.stop();
    await alertmanager.stop();
    await exporter.stop();
    await simulator.stop();
  });

  it('is scheduled, ongoing, overrun and over, and then nothing for three hours', {
    timeout: 240_000,
  }, async () => {
    const [node] = simulator.cluster.list(NODES);
    if (node === undefined) throw new Error('the scenario has nodes');
    const steps = readRecording(GPU_FAULT_REPAIR);
    replay = new Replay(simulator.cluster, node.metadata.name, steps, { speed: SPEED });
    // What comes later is the time at which somebody looked again.
    const end = replay.startOf('taint removed') + 180 * MINUTE;
    const story: string[] = [];
    const told = replay.run(simulator.clock).catch(() => undefined);
    let firing: readonly string[] = [];
    while (Date.now() < end) {
      const now = await firingNow(alertmanager);
      story.push(...changes(firing, now));
      firing = now;
    }
    await simulator.stop();
    await told;
    expect(story).toStrictEqual([
      'MaintenanceScheduled fires',
      'MaintenanceScheduled is over',
      'MaintenanceOngoing fires',
      'MaintenanceOverrun fires',
      'MaintenanceOverrun is over',
      'MaintenanceOngoing is over',
    ]);
  });
});

function changes(before: readonly string[], now: readonly string[]): readonly string[] {
  return [
    ...before.filter((name) => !now.includes(name)).map((name) => `${name} is over`),
    ...now.filter((name) => !before.includes(name)).map((name) => `${name} fires`),
  ];
}

/** The names of the alerts that Alertmanager has now, without their first part. */
async function firingNow(alertmanager: Alertmanager): Promise<readonly string[]> {
  const alerts = await alertmanager.alerts();
  return alerts.map(({ labels: { alertname = '' } }) => alertname.replace('GKEDisruption', ''));
}
