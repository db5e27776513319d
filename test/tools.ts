import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';

/** The Debian package that brings each program that tests and the demo run for real. */
const DEBIAN_PACKAGES = {
  amtool: 'prometheus-alertmanager',
  kubectl: 'kubernetes-client',
  prometheus: 'prometheus',
  'prometheus-alertmanager': 'prometheus-alertmanager',
  promtool: 'prometheus',
} as const;

export type Tool = keyof typeof DEBIAN_PACKAGES;

const TOOLS = Object.keys(DEBIAN_PACKAGES) as Tool[];

/** The path of an installed program, or undefined. */
export function findTool(tool: Tool): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, tool);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder.
    }
  }
}

/** The path of an installed program. Throws with the command that installs it: a test never skips in silence. */
export function requireTool(tool: Tool): string {
  const path = findTool(tool);
  if (path === undefined) {
    throw new Error(`${tool} is not installed: apt-get install ${DEBIAN_PACKAGES[tool]}`);
  }
  return path;
}

/**
 * Installs the missing ones from Debian's packages, when this process may.
 * Throws an error that names the packages when it may not, or when apt-get fails.
 */
export function installMissingTools(): void {
  const missing = [...new Set(TOOLS.filter((tool) => !findTool(tool)).map((tool) => DEBIAN_PACKAGES[tool]))];
  if (missing.length === 0) return;
  const command = `apt-get update && apt-get install --yes --no-install-recommends ${missing.join(' ')}`;
  if (process.getuid?.() !== 0) {
    throw new Error(`the tests need more programs; run as root: ${command}`);
  }
  process.stderr.write(`Installing what the tests need: ${missing.join(', ')}\n`);
  const apt = spawnSync('sh', ['-c', command], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (apt.status !== 0) throw new Error(`failed: ${command}`);
}
