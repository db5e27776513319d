import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseScenario } from '../simulator/gke/scenario.ts';
import { MetadataServer } from '../simulator/google/metadata-server.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type ExporterProcess, startExporterProcess } from './exporter-process.ts';
import { scrape, scrapeUntil } from './scrape.ts';

const SCENARIO = parseScenario(
  {
    pools: [{ name: 'gpu', nodes: 2 }],
    history: [{ ago: '3h', pool: 'gpu', type: 'TerminationEvent', reason: 'HostError' }],
  },
  'test',
);
const COUNTED =
  'gke_node_pool_interruptions_in_window{project_id="simulated-project",location="us-central1",cluster_name="simulated",interruption_type="TerminationEvent",interruption_reason="HostError",node_pool="gpu",window="24h"} 1';
const UP = 'gke_disruption_collector_up{collector="monitoring"} 1';
const DOWN = 'gke_disruption_collector_up{collector="monitoring"} 0';

let simulator: Simulator;
let exporter: ExporterProcess;

async function start(flags: readonly string[], env: Record<string, string> = {}): Promise<void> {
  exporter = await startExporterProcess(['--monitoring.poll-interval=200ms', ...flags], { env });
}

function warnings(): string[] {
  return exporter.log.filter((line) => line.includes('level=warning') && line.includes('monitoring'));
}

beforeEach(async () => {
  simulator = await startSimulator({ scenario: SCENARIO });
});
afterEach(async () => {
  await exporter.stop();
  await simulator.stop();
});

describe('the monitoring collector', () => {
  it('shows what Cloud Monitoring counts, and is ready then', async () => {
    await start(simulator.exporterFlags);
    await scrapeUntil(exporter.url, (text) => text.includes(COUNTED) && text.includes(UP));
    expect((await fetch(`${exporter.url}/readyz`)).status).toBe(200);
  });

  it('keeps what it knew while the quota is used up, shows its age, and recovers', async () => {
    await start(simulator.exporterFlags);
    await scrapeUntil(exporter.url, (text) => text.includes(COUNTED));
    const heal = simulator.monitoring.faults.add({
      times: 1000,
      fault: { kind: 'status', code: 8, message: 'Quota exceeded.' },
    });
    const failing = await scrapeUntil(exporter.url, (text) => text.includes(DOWN));
    expect(failing).toContain(COUNTED);
    expect(failing).toMatch(/errors_total\{collector="monitoring",reason="quota"\} [1-9]/u);
    expect(failing).toMatch(/last_success_timestamp_seconds\{collector="monitoring"\} \d+/u);
    heal();
    await scrapeUntil(exporter.url, (text) => text.includes(UP));
    expect(warnings()).toHaveLength(1);
  });

  it('tells with one line which role a project lacks, while another project and the nodes are shown', async () => {
    await start([...simulator.exporterFlags, '--google.project-id=other']);
    const text = await scrapeUntil(
      exporter.url,
      (each) => each.includes(COUNTED) && /reason="permission_denied"\} [2-9]/u.test(each),
    );
    expect(text).toContain(DOWN);
    expect(text).toContain('gke_node_info{');
    expect(warnings()).toEqual([
      expect.stringContaining('(needed: the role roles/monitoring.viewer on project other)'),
    ]);
    expect(await (await fetch(`${exporter.url}/readyz?verbose`)).text()).toContain(
      '[-]monitoring no success yet: permission_denied (other)',
    );
  });

  it('says nothing of counts before everything was read once, and asks again', async () => {
    simulator.monitoring.faults.add({
      metric: 'node_pool/interruption_count',
      times: 3,
      fault: { kind: 'partial', series: 0 },
    });
    await start(simulator.exporterFlags);
    const first = await scrapeUntil(exporter.url, (text) =>
      text.includes('partial_responses_total{project_id="simulated-project"} 1'),
    );
    expect(first).not.toContain('gke_node_pool_interruptions');
    const complete = await scrapeUntil(exporter.url, (text) => text.includes(COUNTED));
    expect(complete).toContain('partial_responses_total{project_id="simulated-project"} 3');
  });

  it('ends at once while an answer does not come', async () => {
    simulator.monitoring.faults.add({ times: 2, fault: { kind: 'silence' } });
    await start(simulator.exporterFlags);
    await expect.poll(() => simulator.monitoring.faults.isEmpty, { timeout: 20_000 }).toBe(true);
    expect(await exporter.stop()).toBe(0);
  });

  it('discovers project, location and cluster from the metadata server, which may be late', async () => {
    const metadata = await MetadataServer.start();
    const flags = simulator.exporterFlags.filter((flag) => !flag.startsWith('--google.'));
    await start(flags, { GCE_METADATA_HOST: metadata.host });
    const text = await scrapeUntil(exporter.url, (each) => /reason="identity"\} [1-9]/u.test(each));
    expect(text).toContain(DOWN);
    expect(text).not.toContain('gke_cluster_info');
    metadata.set('project/project-id', 'simulated-project');
    metadata.set('instance/attributes/cluster-location', 'us-central1');
    metadata.set('instance/attributes/cluster-name', 'simulated');
    const discovered = await scrapeUntil(exporter.url, (each) => each.includes(COUNTED));
    expect(discovered).toContain(
      'gke_cluster_info{project_id="simulated-project",location="us-central1",cluster_name="simulated"} 1',
    );
    await metadata.stop();
  });

  it('reads every cluster of a project when none is named', async () => {
    await start(simulator.exporterFlags.filter((flag) => !/cluster-name|location/u.test(flag)));
    const text = await scrapeUntil(exporter.url, (each) => each.includes(COUNTED));
    expect(text).not.toContain('gke_cluster_info');
    expect(simulator.monitoring.requests.every(({ filter }) => !filter.includes('cluster_name'))).toBe(true);
    expect(await scrape(exporter.url)).toContain(UP);
  });
});
