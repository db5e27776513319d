import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { freePort } from './free-port.ts';
import { scrape } from './scrape.ts';

const run = promisify(execFile);
const cwd = fileURLToPath(new URL('..', import.meta.url));

beforeAll(async () => {
  await run('npm', ['run', 'build'], { cwd });
});

it('what npm run build makes says its version', async () => {
  const { stdout } = await run(process.execPath, ['dist/main.js', '--version'], { cwd });
  expect(stdout).toMatch(/^gke-disruption-exporter, version \d+\.\d+\.\d+ /u);
});

it('what npm run build makes serves, without a compiler of V8 as well', async () => {
  const port = await freePort();
  const collectors = ['nodes', 'events', 'graceful-termination', 'monitoring'];
  const child = spawn(
    process.execPath,
    [
      '--lite-mode',
      'dist/main.js',
      '--collector.metadata',
      ...collectors.map((name) => `--no-collector.${name}`),
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { cwd, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await once(child.stderr, 'data');
  await expect
    .poll(() => scrape(`http://127.0.0.1:${port}`).catch(() => ''), { timeout: 20_000 })
    .toContain('gke_disruption_collector_up{collector="metadata"} 0');
  child.kill();
  expect(await once(child, 'exit')).toEqual([0, null]);
});
