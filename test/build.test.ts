import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { ONLY_METADATA, startExporterProcess } from './exporter-process.ts';
import { scrape } from './scrape.ts';

const run = promisify(execFile);
const cwd = fileURLToPath(new URL('..', import.meta.url));
const BUILT = fileURLToPath(new URL('../dist/main.js', import.meta.url));

beforeAll(async () => {
  await run('npm', ['run', 'build'], { cwd });
});

it('what npm run build makes says its version', async () => {
  const { stdout } = await run(process.execPath, [BUILT, '--version']);
  expect(stdout).toMatch(/^gke-disruption-exporter, version \d+\.\d+\.\d+ /u);
});

it('what npm run build makes serves, without a compiler of V8 as well', async () => {
  const exporter = await startExporterProcess(ONLY_METADATA, { program: ['--lite-mode', BUILT] });
  expect(await scrape(exporter.url)).toContain('gke_disruption_collector_up{collector="metadata"} 0');
  expect(await exporter.stop()).toBe(0);
});
