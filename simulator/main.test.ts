import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const QUIET = fileURLToPath(new URL('scenarios/quiet.yaml', import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'simulator-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const run = (...args: readonly string[]) => promisify(execFile)(process.execPath, [MAIN, ...args]);

it('--help names the flags and how to use it', async () => {
  const { stdout } = await run('--help');
  for (const part of [
    '--scenario',
    '--speed',
    '--kubeconfig',
    'kubectl label node',
    'POST /simulator/faults',
  ]) {
    expect(stdout).toContain(part);
  }
});

it('a bad scenario ends it with code 2, path and reason', async () => {
  const file = join(folder, 'bad.yaml');
  await writeFile(file, 'pools: [{ name: a, nodes: many }]\n');
  await expect(run('--scenario', file)).rejects.toMatchObject({
    code: 2,
    stderr: `${file}: pools[0].nodes: expected a whole number from 1\n`,
  });
});

it.each([
  [
    ['--speed', 'fast'],
    "error: option '--speed <number>' argument 'fast' is invalid. expected a positive number\n",
  ],
  [['--scenario', QUIET, '--replay', 'x'], '--replay: there is no node x\n'],
  [['--nonsense'], "error: unknown option '--nonsense'\n"],
])('%j ends it with code 2', async (args, stderr) => {
  await expect(run(...args)).rejects.toMatchObject({ code: 2, stderr });
});

it.each(['SIGINT', 'SIGTERM'] as const)(
  'prints where it is, writes the kubeconfig, and ends with %s',
  async (signal) => {
    const kubeconfig = join(folder, `kubeconfig-${signal}`);
    const child = spawn(process.execPath, [MAIN, '--scenario', QUIET, '--kubeconfig', kubeconfig], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const url = String((await lines.next()).value).replace(/^.* /u, '');
    expect((await lines.next()).value).toBe(`export KUBECONFIG=${kubeconfig}`);
    expect(await readFile(kubeconfig, 'utf8')).toContain(`server: ${url}`);
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([0, null]);
  },
);
