import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NODES } from '../simulator/kubernetes/resource.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type ExporterProcess, ONLY_NODES, runExporter, startExporterProcess } from './exporter-process.ts';
import { scrape, scrapeUntil } from './scrape.ts';
import { requireTool } from './tools.ts';

let folder: string;
let simulator: Simulator;
let exporter: ExporterProcess | undefined;

async function start(...flags: string[]): Promise<ExporterProcess> {
  exporter = await startExporterProcess([...simulator.exporterFlags, ...flags]);
  return exporter;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'exporter-'));
  simulator = await startSimulator();
  simulator.cluster.put(NODES, {
    metadata: { name: 'node-1', labels: { 'cloud.google.com/gke-nodepool': 'p' } },
  });
});
afterEach(async () => {
  await exporter?.stop();
  exporter = undefined;
  simulator.faults.clear();
});
afterAll(async () => {
  await simulator.stop();
  rmSync(folder, { recursive: true });
});

async function readiness(url: string): Promise<string> {
  const answer = await fetch(`${url}/readyz?verbose`);
  return `${answer.status} ${await answer.text()}`;
}

describe('the process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('ends with status 0 after %s', async (signal) => {
    const { stop } = await start();
    expect(await stop(signal)).toBe(0);
  });

  it('lets a scrape under way finish before it ends', async () => {
    const { url, process: child } = await start();
    await scrapeUntil(url, (text) => text.includes('node="node-1"'));
    // A client that has sent half of its request when the signal comes.
    const socket = new Socket();
    const { hostname, port } = new URL(url);
    socket.connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write('GET /metrics HTTP/1.1\r\nHost: exporter\r\n');
    await fetch(`${url}/livez`);
    child.kill('SIGTERM');
    socket.write('Connection: close\r\n\r\n');
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    const [[status]] = await Promise.all([once(child, 'exit'), once(socket, 'close')]);
    expect(status).toBe(0);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/u);
    expect(answer).toContain('gke_node_info{node="node-1"');
  });

  it('ends with status 1 and one line when its address is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { status, stderr } = await runExporter([
      `--web.listen-address=127.0.0.1:${port}`,
      '--no-collector.nodes',
    ]);
    other.close();
    expect(status).toBe(1);
    expect(stderr).toBe(
      `gke-disruption-exporter: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`,
    );
  });

  it.each([
    ['a flag that is unknown', ['--nope'], "gke-disruption-exporter: unknown option '--nope'; see --help\n"],
    [
      'a kubeconfig that is missing',
      ['--kubernetes.kubeconfig=/does/not/exist'],
      "gke-disruption-exporter: /does/not/exist: ENOENT: no such file or directory, open '/does/not/exist'\n",
    ],
  ])('ends with status 2 and one line for %s', async (_, flags, line) => {
    expect(await runExporter(flags)).toEqual({ status: 2, stdout: '', stderr: line });
  });

  it('ends with status 2 for a context that the kubeconfig does not have, and names those it has', async () => {
    const { status, stderr } = await runExporter([
      `--kubernetes.kubeconfig=${simulator.kubeconfigPath}`,
      '--kubernetes.context=nope',
    ]);
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /^gke-disruption-exporter: no context "nope" in the kubeconfig; there are: \S+\n$/u,
    );
  });

  it('ends with status 2 for a kubeconfig that is no YAML, and quotes none of it', async () => {
    const file = join(folder, 'broken');
    writeFileSync(file, 'users: [{name: u, user: {token: "very-secret}}]\n');
    const { status, stderr } = await runExporter([`--kubernetes.kubeconfig=${file}`]);
    expect(status).toBe(2);
    expect(stderr.split('\n')).toHaveLength(2);
    expect(stderr).not.toContain('secret');
  });

  it('checks flags and files, says what would run, and ends', async () => {
    const flags = [
      '--config.check',
      `--kubernetes.kubeconfig=${simulator.kubeconfigPath}`,
      '--web.listen-address=:1',
      '--web.listen-address=[::1]:2',
    ];
    expect(await runExporter(flags)).toEqual({
      status: 0,
      stdout:
        'flags and files are valid\nlistens on: :1, [::1]:2\nseries at: /metrics\ncollectors: nodes, events, graceful-termination, monitoring\n',
      stderr: '',
    });
  });

  it('writes its log as logfmt', async () => {
    const { log, url } = await start();
    await scrapeUntil(url, (text) => text.includes('node="node-1"'));
    expect(log[0]).toMatch(
      /^time=\S+Z level=info logger=gke-disruption-exporter\.main msg=started version=\S+ revision=\S+ collectors=nodes,events,graceful-termination,monitoring$/u,
    );
  });

  it('writes its log as JSON when asked to', async () => {
    const { log, url } = await start('--log.format=json');
    await scrapeUntil(url, (text) => text.includes('node="node-1"'));
    expect(JSON.parse(log[0] ?? '')).toMatchObject({
      message: 'started',
      level: 'INFO',
      collectors: 'nodes,events,graceful-termination,monitoring',
    });
  });
});

describe('the process and its cluster', () => {
  it('runs without the cluster, says so, and is ready once it is there', async () => {
    simulator.faults.add({
      match: { verb: 'list' },
      times: 2,
      fault: { kind: 'status', code: 403, message: 'nodes is forbidden' },
    });
    const { url, log } = await start(...ONLY_NODES);
    await scrapeUntil(url, (text) =>
      text.includes('gke_disruption_collector_errors_total{collector="nodes",reason="forbidden"} 1'),
    );
    expect(await scrape(url)).not.toMatch(/^gke_node/mu);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect(await readiness(url)).toBe('503 [-]nodes no success yet: forbidden\nnot ready\n');
    const recovered = await scrapeUntil(url, (each) =>
      each.includes('gke_disruption_collector_up{collector="nodes"} 1'),
    );
    expect(recovered).toContain('gke_node_pool_nodes{node_pool="p"} 1');
    expect(await readiness(url)).toBe('200 [+]nodes ok\nok\n');
    const warnings = log.filter((line) => line.includes('level=warning'));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('needed: the verbs list and watch on nodes');
  });

  it('withdraws what it knows of nodes when the API server was silent for too long, and is not ready then', async () => {
    const { url } = await start('--kubernetes.max-age=500ms', ...ONLY_NODES);
    await scrapeUntil(url, (text) => text.includes('gke_node_info'));
    simulator.faults.add({ match: { verb: 'watch' }, times: 'always', fault: { kind: 'status', code: 503 } });
    simulator.faults.add({ match: { verb: 'list' }, times: 'always', fault: { kind: 'status', code: 503 } });
    simulator.faults.strikeOpenWatches('nodes', { kind: 'cut' });
    const withdrawn = await scrapeUntil(url, (each) => !each.includes('gke_node_info'));
    expect(withdrawn).not.toMatch(/^gke_node/mu);
    expect(withdrawn).toContain('gke_disruption_collector_up{collector="nodes"} 0');
    expect(await readiness(url)).toMatch(/^503 \[-\]nodes data too old/u);
    simulator.faults.clear();
    await scrapeUntil(url, (each) => each.includes('gke_node_info{node="node-1"'));
  });

  it('never writes a token to its log, however it fails', async () => {
    const { url, log } = await start('--log.level=debug');
    await scrapeUntil(url, (text) => text.includes('gke_node_info'));
    const tokens = [simulator.token];
    simulator.faults.add({ match: { verb: 'watch' }, times: 2, fault: { kind: 'status', code: 401 } });
    simulator.faults.strikeOpenWatches('nodes', { kind: 'cut' });
    await scrapeUntil(url, (text) => text.includes('reason="unauthorized"} 2'));
    tokens.push(simulator.rotateToken());
    for (const token of tokens) expect(log.join('\n')).not.toContain(token);
    expect(log.join('\n')).toContain('reason=unauthorized');
  });

  it('gives an output that promtool accepts, with and without a cluster', async () => {
    const { url } = await start();
    await scrapeUntil(url, (text) => text.includes('gke_node_info'));
    for (const input of [await scrape(url), await scrape(url)]) {
      const { status, stdout, stderr } = spawnSync(requireTool('promtool'), ['check', 'metrics'], {
        input,
        encoding: 'utf8',
      });
      expect([status, stdout + stderr]).toEqual([0, '']);
    }
  });
});
