import process from 'node:process';
import { setTimeout as timeout } from 'node:timers/promises';
import type { Config } from './config/config.ts';
import { formatDuration } from './config/duration.ts';
import { parseFlags } from './config/flags.ts';
import { formatAddress } from './config/listen-address.ts';
import { enabledCollectors, startExporter } from './exporter.ts';
import { configureLog, logger } from './log.ts';
import { build } from './version.ts';

const VERSION = `${build.name}, version ${build.version} (revision: ${build.revision})
  node version: ${build.nodeVersion}
  platform: ${process.platform}/${process.arch}`;

/**
 * Runs the exporter by its command line, without the two words that started the process. Gives the exit status: 0 after a
 * signal, 1 when it could not start, 2 when flags or files are wrong. `adapt`: what no flag can say.
 */
export async function run(
  args: readonly string[],
  adapt: (config: Config) => Config = (config) => config,
): Promise<number> {
  const invocation = parseFlags(args, VERSION);
  switch (invocation.kind) {
    case 'print':
      process.stdout.write(invocation.text);
      return 0;
    case 'wrong':
      return fail(2, invocation.error);
    case 'check':
      return (await checkFiles(invocation.config)) ?? printCheck(invocation.config);
    case 'run':
      return (await checkFiles(invocation.config)) ?? serve(adapt(invocation.config));
    default:
      return invocation satisfies never;
  }
}

/** Undefined when the files that the flags name can be used. */
async function checkFiles(config: Config): Promise<number | undefined> {
  try {
    for (const { check } of enabledCollectors(config)) await check(config);
    return undefined;
  } catch (error) {
    return fail(2, messageOf(error));
  }
}

function printCheck(config: Config): number {
  const addresses = config.web.listenAddresses.map(({ host, port }) => formatAddress(host ?? '', port));
  process.stdout.write(`flags and files are valid
listens on: ${addresses.join(', ')}
series at: ${config.web.telemetryPath}
collectors: ${config.collectors.join(', ') || 'none'}
`);
  return 0;
}

async function serve(config: Config): Promise<number> {
  configureLog(config.log);
  const log = logger('main');
  // What nobody waits for any more must not end the process.
  process.on('unhandledRejection', (reason) =>
    log.error('unexpected rejection', { error: messageOf(reason) }),
  );
  const stopped = stopSignal();
  try {
    const exporter = await startExporter(config);
    const { version, revision } = build;
    log.info('started', { version, revision, collectors: config.collectors.join(',') });
    for (const address of exporter.addresses) log.info('listening', { address });
    log.info('stopping', { signal: await stopped, delay: formatDuration(config.shutdownDelay) });
    await delay(config.shutdownDelay);
    await exporter.stop();
    return 0;
  } catch (error) {
    return fail(1, messageOf(error));
  }
}

/** Until a duration has passed, or somebody insists. */
async function delay(milliseconds: number): Promise<void> {
  if (milliseconds === 0) return;
  const insisted = new AbortController();
  void stopSignal().then(() => insisted.abort());
  await timeout(milliseconds, undefined, { signal: insisted.signal }).catch(() => undefined);
}

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve);
  });
}

function fail(status: number, error: string): number {
  process.stderr.write(`${build.name}: ${error}\n`);
  return status;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
