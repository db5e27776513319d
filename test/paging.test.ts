import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseScenario } from '../simulator/gke/scenario.ts';
import { NODES } from '../simulator/kubernetes/resource.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type Alertmanager, startAlertmanager } from './alertmanager.ts';
import { type ExporterProcess, startExporterProcess } from './exporter-process.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';
import { startWebhook, type Webhook } from './webhook.ts';

const SCENARIO = parseScenario(
  {
    cluster: { name: 'training' },
    pools: [
      {
        name: 'slice',
        nodes: 16,
        machineType: 'ct6e-standard-4t',
        tpu: { accelerator: 'tpu-v6e-slice', topology: '8x8', multiHost: true },
      },
      { name: 'general', nodes: 3 },
    ],
    events: [{ at: '2s', what: 'maintenance', pool: 'slice', startsIn: '50m' }],
  },
  'training',
);

describe('maintenance in 50 minutes on a slice of 16 nodes', () => {
  let simulator: Simulator;
  let exporter: ExporterProcess;
  let webhook: Webhook;
  let alertmanager: Alertmanager;
  let prometheus: Prometheus;

  beforeAll(async () => {
    simulator = await startSimulator({ scenario: SCENARIO, images: 0 });
    exporter = await startExporterProcess(simulator.exporterFlags);
    webhook = await startWebhook();
    alertmanager = await startAlertmanager({ webhook: webhook.url });
    prometheus = await startPrometheus([new URL(exporter.url).host], {
      rules: readFileSync(new URL('../alerts/generated/prometheus.rules.yml', import.meta.url), 'utf8'),
      alertmanager: new URL(alertmanager.url).host,
    });
  });
  afterAll(async () => {
    await prometheus.stop();
    await alertmanager.stop();
    await webhook.stop();
    await exporter.stop();
    await simulator.stop();
  });

  it('gives one notification, which names the pool and its 16 nodes', { timeout: 180_000 }, async () => {
    const notification = await webhook.next(AbortSignal.timeout(120_000));
    const nodes = simulator.cluster
      .list(NODES)
      .map(({ metadata: { name } }) => name)
      .filter((name) => name.includes('-slice-'));
    expect(nodes).toHaveLength(16);
    expect(notification.channel).toBe('#on-call');
    expect(notification.title).toMatch(
      /^CRITICAL: pool slice, \w{3} \d+ \w{3} \d\d:\d\d \w+, in 4\dm \d+s$/u,
    );
    const lines = notification.text.split('\n');
    expect(lines[0]).toBe(
      'Host maintenance of all 16 nodes of the pool slice starts within 1h or has begun: what runs on them stops as a whole.',
    );
    expect(lines).toContain('Can be started early: 16 of 16');
    const named = lines.find((line) => line.startsWith('Nodes: ')) ?? '';
    expect(new Set(named.slice('Nodes: '.length).split(', '))).toStrictEqual(new Set(nodes));
    expect(lines.at(-2) ?? lines.at(-1)).toContain('/GKEDisruptionWholePoolMaintenance.md');

    // Everything else that fires is known to Alertmanager by now, and silent.
    const alerts = await alertmanager.alerts();
    expect(
      new Set(alerts.map(({ labels, inhibited }) => `${labels.alertname} ${labels.severity} ${inhibited}`)),
    ).toStrictEqual(
      new Set([
        'GKEDisruptionMaintenanceImminent critical true',
        'GKEDisruptionMaintenanceScheduled info true',
        'GKEDisruptionMaintenanceSoon warning true',
        'GKEDisruptionMajorityMaintenance warning true',
        'GKEDisruptionWholePoolMaintenance critical false',
        'GKEDisruptionWholePoolMaintenance warning true',
      ]),
    );
    // Tickets wait as long as pages do: after another such time there is still one notification.
    await expect(webhook.next(AbortSignal.timeout(32_000))).rejects.toThrow('aborted');
    expect(webhook.notifications).toHaveLength(1);
  });
});
