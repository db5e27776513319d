import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';

/** Starts a server of the Prometheus family and waits until its `/-/ready` answers. Throws when it ends before. */
export async function startServer(
  program: string,
  url: string,
  args: readonly string[],
): Promise<{ readonly stop: () => Promise<void> }> {
  const child = spawn(program, args, { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const ended = exited.then(() => Promise.reject(new Error(`${basename(program)} ended at its start`)));
  await Promise.race([ready(url, basename(program)), ended]);
  ended.catch(() => undefined);
  return {
    stop: async () => {
      child.kill();
      await exited;
    },
  };
}

async function ready(url: string, name: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (true) {
    const answer = await fetch(`${url}/-/ready`).catch(() => undefined);
    if (answer?.ok === true) return;
    if (Date.now() > deadline) throw new Error(`${name} is not ready within 60 s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
