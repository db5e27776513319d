import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { requireTool } from '../test/tools.ts';

const run = promisify(execFile);
const cwd = fileURLToPath(new URL('.', import.meta.url));

async function promtool(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(requireTool('promtool'), args, { cwd }).catch((error: unknown) => {
    throw new Error(String((error as { stdout?: string }).stdout), { cause: error });
  });
  return stdout + stderr;
}

describe('promtool', () => {
  it.each(globSync('*.rules.yml', { cwd }))('accepts %s, with every lint', async (file) => {
    expect(await promtool('check', 'rules', '--lint=all', '--lint-fatal', file)).toContain('SUCCESS');
  });

  it.each(globSync('*.test.yml', { cwd }))('finds that the rules do what %s says', async (file) => {
    expect(await promtool('test', 'rules', file)).toContain('SUCCESS');
  });
});
