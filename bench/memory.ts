import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseScenario } from '../simulator/gke/scenario.ts';
import { startSimulator } from '../simulator/simulator.ts';
import { ONLY_METADATA, startExporterProcess } from '../test/exporter-process.ts';
import { scrape } from '../test/scrape.ts';

const cwd = fileURLToPath(new URL('..', import.meta.url));
const SCRAPES = 20;

/** Resident memory of a process that has been scraped for a while, in mebibytes. */
async function residentMemory(program: readonly string[], metadataHost: string): Promise<number> {
  const env = { GCE_METADATA_HOST: metadataHost };
  const exporter = await startExporterProcess(ONLY_METADATA, { program, env });
  for (let count = 0; count < SCRAPES; count += 1) await scrape(exporter.url);
  const status = await readFile(`/proc/${exporter.process.pid}/status`, 'utf8');
  await exporter.stop();
  return Number(/VmRSS:\s+(?<kib>\d+)/u.exec(status)?.groups?.kib) / 1024;
}

/** What an exporter on each node takes, that reads only the metadata server. */
export async function measureMemory(): Promise<string> {
  await promisify(execFile)('npm', ['run', 'build'], { cwd });
  const scenario = parseScenario({ pools: [{ name: 'a4', nodes: 1 }] }, 'bench');
  const simulator = await startSimulator({ scenario });
  const [node = ''] = simulator.machines.nodesOf('a4');
  const { host } = await simulator.virtualMachines.metadataServer(node);
  const rows = ['Resident memory of an exporter that reads only the metadata server'];
  for (const [name, program] of [
    ['built, --lite-mode', ['--lite-mode', `${cwd}dist/main.js`]],
    ['built', [`${cwd}dist/main.js`]],
    ['from source', [`${cwd}exporter/main.ts`]],
  ] as const) {
    rows.push(`  ${name.padEnd(20)}${(await residentMemory(program, host)).toFixed(0).padStart(6)} MiB`);
  }
  await simulator.stop();
  return rows.join('\n');
}
