import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MetadataServer } from '../simulator/google/metadata-server.ts';
import { freePort } from '../test/free-port.ts';
import { scrape } from '../test/scrape.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SCRAPES = 20;

const ONLY_METADATA = [
  '--collector.metadata',
  ...['nodes', 'events', 'graceful-termination', 'monitoring'].map((name) => `--no-collector.${name}`),
];

async function metadataServer(): Promise<MetadataServer> {
  const server = await MetadataServer.start();
  for (const [key, value] of [
    ['project/project-id', 'project'],
    ['instance/name', 'node'],
    ['instance/attributes/cluster-name', 'cluster'],
    ['instance/attributes/cluster-location', 'us-central1'],
    ['instance/attributes/kube-labels', 'cloud.google.com/gke-nodepool=a4'],
    ['instance/upcoming-maintenance', 'NONE'],
    ['instance/preempted', 'FALSE'],
  ] as const)
    server.set(key, value);
  return server;
}

/** Resident memory of a process that has been scraped for a while, in megabytes. */
async function residentMegabytes(program: readonly string[], metadata: MetadataServer): Promise<number> {
  const port = await freePort();
  const args = [...program, ...ONLY_METADATA, `--web.listen-address=127.0.0.1:${port}`];
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, GCE_METADATA_HOST: metadata.host },
  });
  await once(child.stderr, 'data');
  for (let count = 0; count < SCRAPES; ) {
    count += await scrape(`http://127.0.0.1:${port}`).then(
      () => 1,
      () => 0,
    );
  }
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  child.kill();
  await once(child, 'exit');
  return Number(/VmRSS:\s+(?<kib>\d+)/u.exec(status)?.groups?.kib) / 1024;
}

/** What an exporter on each node takes, that reads only the metadata server. */
export async function measureMemory(): Promise<string> {
  await promisify(execFile)('tsc', ['-p', 'tsconfig.build.json'], { cwd: ROOT });
  const metadata = await metadataServer();
  const rows: string[] = ['Resident memory of an exporter that reads only the metadata server'];
  for (const [name, program] of [
    ['built, --lite-mode', ['--lite-mode', 'dist/main.js']],
    ['built', ['dist/main.js']],
    ['from source', ['exporter/main.ts']],
  ] as const) {
    rows.push(
      `  ${name.padEnd(20)}${(await residentMegabytes(program, metadata)).toFixed(0).padStart(6)} MiB`,
    );
  }
  await metadata.stop();
  return rows.join('\n');
}
