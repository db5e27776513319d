import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../exporter/main.ts', import.meta.url));
const HURRIED = fileURLToPath(new URL('../simulator/hurried-exporter.ts', import.meta.url));

function without(...collectors: readonly string[]): readonly string[] {
  return collectors.map((name) => `--no-collector.${name}`);
}

/** Turns off what is on by default beside the nodes collector. */
export const ONLY_NODES = without('events', 'graceful-termination', 'monitoring');

/** One exporter on each node: nothing but the metadata server. */
export const ONLY_METADATA = ['--collector.metadata', ...without('nodes'), ...ONLY_NODES];

export interface ExporterProcessOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** How many times faster the simulated cloud's clock runs; default 1. */
  readonly speed?: number;
  /** What Node runs, with its options; default: the exporter's source. */
  readonly program?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** An exporter in a process of its own, as a user starts it. */
export interface ExporterProcess {
  /** `http://127.0.0.1:port`, of the first address. */
  readonly url: string;
  readonly process: ChildProcess;
  /** Every line that it has logged. */
  readonly log: readonly string[];
  /** Ends it by a signal, if it has not ended, and gives its exit status. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** Starts an exporter and waits until it listens. Throws with its log when it ends before. */
export async function startExporterProcess(
  args: readonly string[],
  {
    port = 0,
    speed = 1,
    program = speed === 1 ? [MAIN] : [HURRIED, String(speed)],
    env = {},
  }: ExporterProcessOptions = {},
): Promise<ExporterProcess> {
  const child = spawn(process.execPath, [...program, `--web.listen-address=127.0.0.1:${port}`, ...args], {
    env: { ...process.env, KUBECONFIG: '', ...env },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const log: string[] = [];
  const exited = once(child, 'exit');
  const { promise: listening, resolve } = Promise.withResolvers<string>();
  createInterface(child.stderr).on('line', (line) => {
    log.push(line);
    const address = /\blistening\b.*\baddress"?[=:]"?(?<address>[^\s"]+)/u.exec(line)?.groups?.address;
    if (address !== undefined) resolve(address);
  });
  const address = await Promise.race([listening, exited.then(() => undefined)]);
  if (address === undefined) throw new Error(`the exporter ended: ${log.join('\n')}`);
  return {
    url: `http://${address}`,
    process: child,
    log,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await exited;
      return child.exitCode;
    },
  };
}

/** Runs the exporter to its end, with flags that make it end. */
export async function runExporter(
  args: readonly string[],
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, KUBECONFIG: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, ...output };
}
