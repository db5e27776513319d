import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GPU_FAULT_REPAIR, Replay, readRecording } from '../simulator/gke/recording.ts';
import { parseScenario } from '../simulator/gke/scenario.ts';
import type { MetadataServer } from '../simulator/google/metadata-server.ts';
import { CONFIG_MAPS, NODES } from '../simulator/kubernetes/resource.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type ExporterProcess, ONLY_METADATA, startExporterProcess } from './exporter-process.ts';
import { scrape, scrapeUntil } from './scrape.ts';

const SCENARIO = parseScenario(
  {
    pools: [
      { name: 'a4', nodes: 1, machineType: 'a4-highgpu-8g', accelerator: { type: 'nvidia-b200', count: 8 } },
      { name: 'spot', nodes: 1, provisioning: 'spot' },
    ],
  },
  'test',
);
let simulator: Simulator;
let exporter: ExporterProcess;
let node: string;
let spot: string;
let metadata: MetadataServer;

async function start(
  flags: readonly string[],
  host = metadata.host,
  env: Record<string, string> = {},
): Promise<void> {
  exporter = await startExporterProcess(flags, { env: { GCE_METADATA_HOST: host, NODE_NAME: '', ...env } });
}

/** Node's options that write the URL of every module which is loaded to the log. */
const TELL_MODULES = `--import=data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module';
   registerHooks({ load: (url, context, next) => (process.stderr.write('loaded ' + url + '\\n'), next(url, context)) });`,
)}`;

function up(collector: string): string {
  return `gke_disruption_collector_up{collector="${collector}"} 1`;
}

/** The maintenance record that a source tells, as lines without the source. */
function recordOf(text: string, source: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('gke_node_maintenance_') && line.includes(`source="${source}"`))
    .map((line) => line.replace(`source="${source}"`, ''));
}

beforeEach(async () => {
  simulator = await startSimulator({ scenario: SCENARIO, images: 0 });
  node = simulator.machines.nodesOf('a4')[0] ?? '';
  spot = simulator.machines.nodesOf('spot')[0] ?? '';
  metadata = await simulator.virtualMachines.metadataServer(node);
});
afterEach(async () => {
  await exporter.stop();
  await simulator.stop();
});

describe('the sources of a maintenance record', () => {
  it('tell the same at every step of a recorded repair', async () => {
    const flags = ['--collector.metadata', '--collector.compute', '--compute.poll-interval=50ms'];
    await start([...simulator.exporterFlags, ...flags]);
    await scrapeUntil(exporter.url, (text) => text.includes(up('compute')) && text.includes(up('metadata')));
    const replay = new Replay(simulator.cluster, node, readRecording(GPU_FAULT_REPAIR), { start: 'exact' });
    let announced = 0;
    for (let step = replay.step(); step !== undefined; step = replay.step()) {
      const text = await scrapeUntil(exporter.url, (each) => {
        const record = recordOf(each, 'annotation').join('\n');
        return ['metadata', 'compute'].every((source) => recordOf(each, source).join('\n') === record);
      });
      announced += Number(recordOf(text, 'annotation').length > 0);
    }
    expect(announced).toBeGreaterThan(2);
  });

  it('show how far they differ', async () => {
    const flags = ['--collector.metadata', '--collector.compute', '--compute.poll-interval=50ms'];
    await start([...simulator.exporterFlags, ...flags]);
    const noon = Date.parse('2026-12-01T12:00:00Z') / 1000;
    const record = (hours: number) => ({
      window_start_time: new Date((noon + hours * 3600) * 1000).toISOString(),
      can_reschedule: 'true',
    });
    simulator.cluster.update(NODES, node, ({ metadata: draft }) => {
      draft.labels = { ...draft.labels, 'cloud.google.com/scheduled-maintenance-time': String(noon) };
      draft.annotations = {
        ...draft.annotations,
        'node.gke.io/upcoming-maintenance': JSON.stringify(record(1)),
      };
    });
    simulator.virtualMachines.override(node, 'metadata', record(2));
    simulator.virtualMachines.override(node, 'compute', record(5));
    const series = (source: string, hours: number): string =>
      `gke_node_maintenance_window_start_timestamp_seconds{node="${node}",node_pool="a4",source="${source}"} ${noon + hours * 3600}\n`;
    await scrapeUntil(exporter.url, (each) =>
      [series('label', 0), series('annotation', 1), series('metadata', 2), series('compute', 5)].every(
        (line) => each.includes(line),
      ),
    );
    simulator.virtualMachines.override(node, 'metadata', undefined);
    simulator.virtualMachines.override(node, 'compute', undefined);
    const text = await scrapeUntil(
      exporter.url,
      (each) => recordOf(each, 'metadata').length + recordOf(each, 'compute').length === 0,
    );
    expect(recordOf(text, 'annotation')).not.toEqual([]);
  });

  it('keep what is known of VMs whose zone does not answer', async () => {
    simulator.virtualMachines.override(node, 'compute', { window_start_time: '2026-12-01T12:00:00Z' });
    await start([...simulator.exporterFlags, '--collector.compute', '--compute.poll-interval=50ms']);
    await scrapeUntil(exporter.url, (text) => recordOf(text, 'compute').length > 0);
    simulator.compute.fail({ kind: 'unreachable', zone: 'us-central1-b' }, 1_000_000);
    const partial = await scrapeUntil(exporter.url, (text) =>
      /errors_total\{collector="compute",reason="partial"\} [2-9]/u.test(text),
    );
    expect(recordOf(partial, 'compute')).not.toEqual([]);
  });
});

describe('an exporter on a node', () => {
  it('loads neither the client of Kubernetes nor that of Cloud Monitoring', async () => {
    await start(ONLY_METADATA, metadata.host, { NODE_OPTIONS: TELL_MODULES });
    await scrapeUntil(exporter.url, (text) => text.includes(up('metadata')));
    const loaded = exporter.log.filter((line) => line.startsWith('loaded ')).join('\n');
    expect(loaded).toContain('/exporter/google/metadata.ts');
    expect(loaded).not.toMatch(/client-node|@google-cloud|google-auth|grpc|undici|\/yaml\//u);
  });

  it('takes name and pool from the metadata server', async () => {
    await start(ONLY_METADATA);
    const text = await scrapeUntil(exporter.url, (each) => each.includes(up('metadata')));
    expect(text).toContain(`gke_node_preempted{node="${node}",node_pool="a4"} 0\n`);
    expect(text).toContain(
      `gke_node_scheduling_info{node="${node}",node_pool="a4",on_host_maintenance="terminate",preemptible="false",automatic_restart="true"} 1\n`,
    );
    expect(recordOf(text, 'metadata')).toEqual([]);
    expect(text).not.toMatch(/errors_total\{[^}]*\} [1-9]/u);
    expect(metadata.requests.some((path) => path.includes('maintenance-event'))).toBe(false);
  });

  it('reads maintenance-event only when it is told to', async () => {
    await start([...ONLY_METADATA, '--metadata.watch-maintenance-event']);
    await scrapeUntil(exporter.url, (text) => text.includes(up('metadata')));
    expect(await scrape(exporter.url)).not.toContain('gke_node_host_maintenance_event{');
    metadata.set('instance/maintenance-event', 'TERMINATE_ON_HOST_MAINTENANCE');
    await scrapeUntil(exporter.url, (text) =>
      text.includes(
        `gke_node_host_maintenance_event{node="${node}",node_pool="a4",event="TERMINATE_ON_HOST_MAINTENANCE"} 1\n`,
      ),
    );
  });

  it('tells that a Spot VM is preempted within a second, and is there to be scraped after SIGTERM', async () => {
    const server = await simulator.virtualMachines.metadataServer(spot);
    await start([...ONLY_METADATA, '--web.shutdown-delay=1m'], server.host);
    await scrapeUntil(exporter.url, (text) => text.includes(up('metadata')));
    // A waiting request has been opened, since the first answers are there.
    await expect
      .poll(() => server.requests.some((path) => /preempted.*wait_for_change/u.test(path)))
      .toBe(true);
    const before = Date.now();
    server.set('instance/preempted', 'TRUE');
    const preempted = `gke_node_preempted{node="${spot}",node_pool="spot"} 1\n`;
    await scrapeUntil(exporter.url, (text) => text.includes(preempted));
    exporter.process.kill('SIGTERM');
    await expect.poll(() => exporter.log.some((line) => line.includes('msg=stopping'))).toBe(true);
    expect(await scrape(exporter.url)).toContain(preempted);
    expect(Date.now() - before).toBeLessThan(30_000);
    // Whoever insists is not kept waiting.
    expect(await exporter.stop('SIGTERM')).toBe(0);
  });

  it('bears with a metadata server that is late, slow, cut off, talks nonsense or without end', async () => {
    metadata.fail({ kind: 'reset' }, { times: 4 });
    metadata.fail({ kind: 'answer', status: 503, body: '' });
    metadata.fail({ kind: 'delay', milliseconds: 200 }, { times: 3 });
    metadata.fail({ kind: 'flood', bytes: 10_000_000 }, { times: 3 });
    metadata.fail({ kind: 'answer', status: 200, body: '<html>sign in</html>' }, { times: 3 });
    await start(ONLY_METADATA);
    const text = await scrapeUntil(exporter.url, (each) => each.includes(up('metadata')));
    expect(text).toMatch(/errors_total\{collector="metadata",reason="invalid_answer"\} [1-9]/u);
    expect(text).toMatch(/errors_total\{collector="metadata",reason="connection"\} [1-9]/u);
    expect(exporter.process.exitCode).toBeNull();
  });
});

describe('Events', () => {
  const EVENT = 'gke_node_last_maintenance_event_timestamp_seconds';
  const event = (name: string, reason: string, about: { name: string; uid: string }, time: string) => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: 'default' },
    involvedObject: { kind: 'Node', ...about },
    reason,
    lastTimestamp: time,
  });

  it('are told by node and kind, once, unless the node is gone', async () => {
    const { EVENTS } = await import('../simulator/kubernetes/resource.ts');
    const uid = simulator.cluster.get(NODES, node)?.metadata.uid ?? '';
    const there = { name: node, uid };
    const put = (...[name, ...rest]: Parameters<typeof event>): void =>
      void simulator.cluster.put(EVENTS, event(name, ...rest));
    put('a', 'MaintenanceWindowScheduled', there, '2026-12-01T10:00:00Z');
    put('b', 'NodeMaintenanceScheduled', there, '2026-12-01T09:00:00Z');
    put('c', 'NodeNotReady', there, '2026-12-01T11:00:00Z');
    put('d', 'MaintenanceWindowStarted', { name: 'gone', uid: crypto.randomUUID() }, '2026-12-01T10:00:00Z');
    put('e', 'MaintenanceWindowStarted', { name: node, uid: crypto.randomUUID() }, '2026-12-01T10:00:00Z');
    await start(simulator.exporterFlags);
    const scheduled = `${EVENT}{node="${node}",node_pool="a4",event="scheduled"} ${Date.parse('2026-12-01T10:00:00Z') / 1000}\n`;
    const text = await scrapeUntil(
      exporter.url,
      (each) => each.includes(scheduled) && each.includes('events_ignored_total{reason="node_gone"} 2\n'),
    );
    expect(text.split('\n').filter((line) => line.startsWith(`${EVENT}{`))).toHaveLength(1);
    put('a', 'MaintenanceWindowScheduled', there, '2026-12-01T10:00:00Z');
    simulator.cluster.update(EVENTS, { namespace: 'default', name: 'd' }, ({ metadata: draft }) => {
      draft.annotations = { seen: 'again' };
    });
    put('f', 'TerminateOnHostMaintenance', there, '2026-12-01T12:00:00Z');
    const later = await scrapeUntil(exporter.url, (each) => each.includes('event="terminating"'));
    expect(later).toContain(scheduled);
    expect(later).toContain('events_ignored_total{reason="node_gone"} 2\n');
  });

  it('that may not be read take down their collector, which names verb and resource, and nothing else', async () => {
    simulator.faults.add({
      match: { resource: 'events' },
      times: 'always',
      fault: { kind: 'status', code: 403, message: 'events is forbidden' },
    });
    await start(simulator.exporterFlags);
    const text = await scrapeUntil(exporter.url, (each) =>
      /errors_total\{collector="events",reason="forbidden"\} [1-9]/u.test(each),
    );
    expect(text).toContain('gke_disruption_collector_up{collector="events"} 0');
    await scrapeUntil(exporter.url, (each) => each.includes(up('nodes')));
    expect(exporter.log.filter((line) => line.includes('list and watch on events'))).toHaveLength(1);
  });
});

describe('graceful termination', () => {
  const SERIES = 'gke_cluster_graceful_termination_enabled';
  const configMap = (text: string) => ({
    metadata: { name: 'gke-disruption-handling', namespace: 'kube-system' },
    data: { 'maintenance-experience.yaml': text },
  });

  it('is off without the ConfigMap, follows it, and is absent when it cannot be read', async () => {
    await start(simulator.exporterFlags);
    await scrapeUntil(exporter.url, (each) => each.includes(`${SERIES} 0\n`));
    simulator.cluster.put(CONFIG_MAPS, configMap('gracefulTermination: true'));
    await scrapeUntil(exporter.url, (each) => each.includes(`${SERIES} 1\n`));
    simulator.cluster.put(CONFIG_MAPS, configMap('gracefulTermination: ['));
    const text = await scrapeUntil(exporter.url, (each) => !each.includes(`${SERIES} `));
    expect(text).toContain(
      'gke_disruption_invalid_values_total{source="configmap",field="maintenance-experience.yaml"} 1\n',
    );
    simulator.cluster.delete(CONFIG_MAPS, { namespace: 'kube-system', name: 'gke-disruption-handling' });
    await scrapeUntil(exporter.url, (each) => each.includes(`${SERIES} 0\n`));
  });
});
