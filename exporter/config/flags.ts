import { Command, CommanderError, Option } from 'commander';
import type { CollectorDefinition } from '../collectors/collector.ts';
import { collectors } from '../collectors/registry.ts';
import { COUNTING_TIMES } from '../gke/interruption-count.ts';
import type { Config, LogFormat, LogLevel } from './config.ts';
import { parseDuration } from './duration.ts';
import {
  domain,
  duration,
  endpoint,
  httpUrl,
  listenAddress,
  nonEmpty,
  once,
  path,
  positiveDuration,
  positiveInteger,
  repeated,
} from './flag-value.ts';
import type { ListenAddress } from './listen-address.ts';

/** What the command line asks for. `text` goes to standard output; `error` is one line for standard error. */
export type Invocation =
  | { readonly kind: 'check' | 'run'; readonly config: Config }
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'wrong'; readonly error: string };

const DEFAULT_LISTEN_ADDRESS = ':9453';

const DESCRIPTION = `Exports interruptions of GKE nodes as Prometheus series: which node, when, can it be moved, has it begun, is it over.
It only reads. Every flag has a default that fits a pod with a service account that may list and watch nodes and Events.`;

const EXAMPLES = `
Examples:
  gke-disruption-exporter
      in a pod of the cluster
  gke-disruption-exporter --kubernetes.kubeconfig=$HOME/.kube/config --kubernetes.context=training
      on a laptop, for the cluster of one context
  gke-disruption-exporter --web.listen-address=127.0.0.1:9453 --config.check
      look at the flags and files, print what would run, and end

Exit status: 0 after SIGTERM or SIGINT, 1 when it could not start, 2 when flags or files are wrong.`;

type FlagValues = Readonly<Record<string, unknown>> & {
  readonly 'web.listenAddress'?: readonly ListenAddress[];
  readonly 'web.telemetryPath': string;
  readonly 'web.maxRequests': number;
  readonly 'log.level': LogLevel;
  readonly 'log.format': LogFormat;
  readonly 'config.check'?: boolean;
  readonly 'kubernetes.kubeconfig'?: string;
  readonly 'kubernetes.context'?: string;
  readonly 'kubernetes.pageSize': number;
  readonly 'kubernetes.maxAge': number;
  readonly 'google.projectId'?: readonly string[];
  readonly 'google.location'?: string;
  readonly 'google.clusterName'?: string;
  readonly 'google.universeDomain': string;
  readonly 'monitoring.endpoint'?: string;
  readonly 'monitoring.pollInterval': number;
  readonly 'monitoring.nodeRetention': number;
  readonly 'metadata.endpoint'?: string;
  readonly 'metadata.watchMaintenanceEvent': boolean;
  readonly 'compute.endpoint'?: string;
  readonly 'compute.pollInterval': number;
  readonly 'web.shutdownDelay': number;
};

/** Reads the command line, without the two words that started the process. `version` is what `--version` prints. */
export function parseFlags(args: readonly string[], version: string): Invocation {
  let text = '';
  const command = createCommand(version).configureOutput({
    writeOut: (output) => {
      text += output;
    },
    writeErr: () => {
      // The error is thrown too, and told once.
    },
  });
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? { kind: 'print', text } : { kind: 'wrong', error: oneLine(error.message) };
  }
  const values = command.opts<FlagValues>();
  return { kind: values['config.check'] === true ? 'check' : 'run', config: toConfig(values) };
}

function oneLine(message: string): string {
  return `${message
    .replace(/^error: /u, '')
    .replace(/\.$/u, '')
    .replaceAll(/\s*\n\s*/gu, ' ')}; see --help`;
}

function createCommand(version: string): Command {
  const command = new Command('gke-disruption-exporter')
    .usage('[flags]')
    .description(DESCRIPTION)
    .addHelpText('after', EXAMPLES)
    .helpOption('--help', 'Print this help.')
    .version(version, '--version', 'Print the version.')
    .exitOverride()
    .configureHelp({
      optionTerm: (option) => (isSwitch(option) ? option.flags.replace('--', '--[no-]') : option.flags),
    });
  for (const option of options()) command.addOption(option);
  return command;
}

function isSwitch(option: Option): boolean {
  return option.long?.startsWith('--collector.') ?? false;
}

function options(): readonly Option[] {
  return [
    ...group('Web:', webOptions()),
    ...group('Logging:', logOptions()),
    ...group('Collectors:', collectors.flatMap(collectorOptions)),
    ...group('Kubernetes:', kubernetesOptions()),
    ...group('Google Cloud:', googleOptions()),
    ...group('Cloud Monitoring:', monitoringOptions()),
    ...group('Metadata server:', metadataOptions()),
    ...group('Compute Engine API:', computeOptions()),
    ...group('Other:', [
      new Option('--config.check', 'Check flags and files, print what would run, and end.'),
    ]),
  ];
}

function webOptions(): readonly Option[] {
  return [
    new Option(
      '--web.listen-address <address>',
      'Address to listen on, host:port; repeatable. Port 0 takes a free one.',
    )
      .argParser(repeated(listenAddress))
      .default(undefined, DEFAULT_LISTEN_ADDRESS),
    new Option('--web.telemetry-path <path>', 'Path under which the series are.')
      .argParser(once(path))
      .default('/metrics'),
    new Option('--web.max-requests <number>', 'Parallel scrapes; more are answered 503.')
      .argParser(once(positiveInteger))
      .default(40),
    new Option(
      '--web.shutdown-delay <duration>',
      'How long to go on after SIGTERM, so that Prometheus sees the last of a VM that is preempted.',
    )
      .argParser(once(duration))
      .default(0, '0s'),
  ];
}

function logOptions(): readonly Option[] {
  return [
    new Option('--log.level <level>', 'Least level to log.')
      .choices(['debug', 'info', 'warn', 'error'])
      .default('info'),
    new Option('--log.format <format>', 'Format of the log lines.')
      .choices(['logfmt', 'json'])
      .default('logfmt'),
  ];
}

function collectorOptions({ name, help, enabledByDefault }: CollectorDefinition): readonly Option[] {
  return [
    new Option(`--collector.${name}`, help).default(enabledByDefault, enabledByDefault ? 'on' : 'off'),
    new Option(`--no-collector.${name}`).hideHelp(),
  ];
}

function kubernetesOptions(): readonly Option[] {
  return [
    new Option(
      '--kubernetes.kubeconfig <file>',
      'Kubeconfig file. Without it: KUBECONFIG, else the service account of the pod, else ~/.kube/config.',
    ).argParser(once(nonEmpty)),
    new Option(
      '--kubernetes.context <name>',
      'Context of the kubeconfig; without it, its current one.',
    ).argParser(once(nonEmpty)),
    new Option('--kubernetes.page-size <number>', 'Objects in a page of a list.')
      .argParser(once(positiveInteger))
      .default(500),
    new Option(
      '--kubernetes.max-age <duration>',
      'Series of nodes are withdrawn when the API server was not heard for this long.',
    )
      .argParser(once(positiveDuration))
      .default(parseDuration('1h'), '1h'),
  ];
}

function googleOptions(): readonly Option[] {
  return [
    new Option(
      '--google.project-id <id>',
      'Project to read; repeatable. Without it, project, location and cluster are asked of the metadata server.',
    ).argParser(repeated(nonEmpty)),
    new Option('--google.location <location>', 'Region or zone of the cluster.').argParser(once(nonEmpty)),
    new Option(
      '--google.cluster-name <name>',
      'Cluster to read. With a project and without this: every cluster of the projects.',
    ).argParser(once(String)),
    new Option('--google.universe-domain <domain>', 'Domain of the APIs, for sovereign clouds.')
      .argParser(once(domain))
      .default('googleapis.com'),
  ];
}

function monitoringOptions(): readonly Option[] {
  return [
    new Option(
      '--monitoring.endpoint <address>',
      'Cloud Monitoring, host:port; http://host:port means plaintext, for tests.',
    ).argParser(once(endpoint)),
    new Option(
      '--monitoring.poll-interval <duration>',
      'How often to read interruption counts. Above 60s the first interruption of a new series may not be seen as an increase.',
    )
      .argParser(once(positiveDuration))
      .default(parseDuration('60s'), '60s'),
    new Option(
      '--monitoring.node-retention <duration>',
      'How long the interruptions of a node stay visible one by one.',
    )
      .argParser(once(positiveDuration))
      .default(parseDuration('24h'), '24h'),
  ];
}

function metadataOptions(): readonly Option[] {
  return [
    new Option(
      '--metadata.endpoint <url>',
      'Metadata server (default: http://metadata.google.internal, or by GCE_METADATA_HOST).',
    ).argParser(once(httpUrl)),
    new Option(
      '--metadata.watch-maintenance-event',
      'Read maintenance-event, too. It changes what Compute Engine does: a VM that has read it is warned 60s before a live migration, which waits for that.',
    ).default(false),
    new Option('--no-metadata.watch-maintenance-event').hideHelp(),
  ];
}

function computeOptions(): readonly Option[] {
  return [
    new Option(
      '--compute.endpoint <address>',
      'Compute Engine API, host:port; http://host:port means plaintext without credentials, for tests.',
    ).argParser(once(endpoint)),
    new Option('--compute.poll-interval <duration>', 'How often to read the VMs of the cluster.')
      .argParser(once(positiveDuration))
      .default(parseDuration('5m'), '5m'),
  ];
}

function group(heading: string, members: readonly Option[]): readonly Option[] {
  return members.map((option) => option.helpGroup(heading));
}

/** Commander's name for a flag. */
function attributeOf(flag: string): string {
  return flag.replace(/-(?<letter>[a-z])/gu, (_, letter: string) => letter.toUpperCase());
}

function toConfig(values: FlagValues): Config {
  return {
    web: {
      listenAddresses: values['web.listenAddress'] ?? [listenAddress(DEFAULT_LISTEN_ADDRESS)],
      telemetryPath: values['web.telemetryPath'],
      maxRequests: values['web.maxRequests'],
    },
    log: { level: values['log.level'], format: values['log.format'] },
    collectors: collectors
      .map(({ name }) => name)
      .filter((name) => values[attributeOf(`collector.${name}`)] === true),
    kubernetes: {
      kubeconfig: values['kubernetes.kubeconfig'],
      context: values['kubernetes.context'],
      pageSize: values['kubernetes.pageSize'],
      maxAge: values['kubernetes.maxAge'],
    },
    google: {
      projectIds: values['google.projectId'] ?? [],
      location: values['google.location'],
      clusterName: values['google.clusterName'],
      universeDomain: values['google.universeDomain'],
    },
    monitoring: {
      endpoint: values['monitoring.endpoint'],
      pollInterval: values['monitoring.pollInterval'],
      nodeRetention: values['monitoring.nodeRetention'],
      times: COUNTING_TIMES,
    },
    metadata: {
      endpoint: values['metadata.endpoint'],
      watchMaintenanceEvent: values['metadata.watchMaintenanceEvent'],
    },
    compute: {
      endpoint: values['compute.endpoint'],
      pollInterval: values['compute.pollInterval'],
    },
    shutdownDelay: values['web.shutdownDelay'],
  };
}
