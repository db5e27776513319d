import { describe, expect, it } from 'vitest';
import { COUNTING_TIMES } from '../gke/interruption-count.ts';
import type { Config } from './config.ts';
import { parseFlags } from './flags.ts';

const DEFAULTS: Config = {
  web: { listenAddresses: [{ host: undefined, port: 9453 }], telemetryPath: '/metrics', maxRequests: 40 },
  log: { level: 'info', format: 'logfmt' },
  collectors: ['nodes', 'events', 'graceful-termination', 'monitoring'],
  kubernetes: { kubeconfig: undefined, context: undefined, pageSize: 500, maxAge: 3_600_000 },
  google: {
    projectIds: [],
    location: undefined,
    clusterName: undefined,
    universeDomain: 'googleapis.com',
  },
  monitoring: {
    endpoint: undefined,
    pollInterval: 60_000,
    nodeRetention: 86_400_000,
    times: COUNTING_TIMES,
  },
  metadata: { endpoint: undefined, watchMaintenanceEvent: false },
  compute: { endpoint: undefined, pollInterval: 300_000 },
  shutdownDelay: 0,
};

describe('parseFlags', () => {
  it('has a default for everything', () => {
    expect(parseFlags([], 'v')).toEqual({ kind: 'run', config: DEFAULTS });
  });

  it.each<[string, string[], Config]>([
    [
      'one address',
      ['--web.listen-address=127.0.0.1:0'],
      { ...DEFAULTS, web: { ...DEFAULTS.web, listenAddresses: [{ host: '127.0.0.1', port: 0 }] } },
    ],
    [
      'two addresses',
      ['--web.listen-address=:1', '--web.listen-address', '[::1]:2'],
      {
        ...DEFAULTS,
        web: {
          ...DEFAULTS.web,
          listenAddresses: [
            { host: undefined, port: 1 },
            { host: '::1', port: 2 },
          ],
        },
      },
    ],
    [
      'another path',
      ['--web.telemetry-path=/node/metrics'],
      { ...DEFAULTS, web: { ...DEFAULTS.web, telemetryPath: '/node/metrics' } },
    ],
    ['fewer scrapes', ['--web.max-requests=1'], { ...DEFAULTS, web: { ...DEFAULTS.web, maxRequests: 1 } }],
    [
      'another log',
      ['--log.level=debug', '--log.format=json'],
      { ...DEFAULTS, log: { level: 'debug', format: 'json' } },
    ],
    [
      'one collector less',
      ['--no-collector.nodes'],
      { ...DEFAULTS, collectors: ['events', 'graceful-termination', 'monitoring'] },
    ],
    ['a collector that is on anyway', ['--collector.nodes'], DEFAULTS],
    [
      'the last of on and off',
      ['--collector.nodes', '--no-collector.nodes'],
      { ...DEFAULTS, collectors: ['events', 'graceful-termination', 'monitoring'] },
    ],
    [
      'a cluster',
      [
        '--kubernetes.kubeconfig=k',
        '--kubernetes.context=c',
        '--kubernetes.page-size=50',
        '--kubernetes.max-age=1h30m',
      ],
      { ...DEFAULTS, kubernetes: { kubeconfig: 'k', context: 'c', pageSize: 50, maxAge: 5_400_000 } },
    ],
  ])('reads %s', (_, args, config) => {
    expect(parseFlags(args, 'v')).toEqual({ kind: 'run', config });
  });

  it('tells a check from a run', () => {
    expect(parseFlags(['--config.check'], 'v')).toEqual({ kind: 'check', config: DEFAULTS });
  });

  it('prints the version', () => {
    expect(parseFlags(['--version'], 'name, version 1')).toEqual({
      kind: 'print',
      text: 'name, version 1\n',
    });
  });

  it('prints help that names each flag once, its default and an example', () => {
    const help = parseFlags(['--help'], 'v');
    if (help.kind !== 'print') throw new Error(help.kind);
    expect(help.text.match(/--\[no-\]collector\.nodes/gu)).toHaveLength(1);
    expect(help.text).toMatch(/--kubernetes\.max-age <duration>[^-]*\(default:\s+1h\)/u);
    expect(help.text).toContain('Examples:');
  });

  it.each([
    ['an unknown flag', ['--foo'], "unknown option '--foo'; see --help"],
    [
      'a slip of the pen',
      ['--log.levle', 'info'],
      "unknown option '--log.levle' (Did you mean --log.level?); see --help",
    ],
    ['an argument', ['now'], 'too many arguments. Expected 0 arguments but got 1: now; see --help'],
    [
      'an address without port',
      ['--web.listen-address=localhost'],
      "option '--web.listen-address <address>' argument 'localhost' is invalid. Expected host:port, :port or [IPv6 address]:port; see --help",
    ],
    [
      'a path that is none',
      ['--web.telemetry-path=metrics'],
      "option '--web.telemetry-path <path>' argument 'metrics' is invalid. Expected a path like /metrics; see --help",
    ],
    [
      'a path that is taken',
      ['--web.telemetry-path=/livez'],
      "option '--web.telemetry-path <path>' argument '/livez' is invalid. Another page has this path; see --help",
    ],
    [
      'a page without objects',
      ['--kubernetes.page-size=0'],
      "option '--kubernetes.page-size <number>' argument '0' is invalid. Expected a whole number above 0; see --help",
    ],
    [
      'a duration without unit',
      ['--kubernetes.max-age=60'],
      "option '--kubernetes.max-age <duration>' argument '60' is invalid. Expected a duration above 0, such as 30s, 5m, 1h30m or 28d; see --help",
    ],
    [
      'no duration at all',
      ['--kubernetes.max-age=0'],
      "option '--kubernetes.max-age <duration>' argument '0' is invalid. Expected a duration above 0, such as 30s, 5m, 1h30m or 28d; see --help",
    ],
    [
      'a level that is none',
      ['--log.level=loud'],
      "option '--log.level <level>' argument 'loud' is invalid. Allowed choices are debug, info, warn, error; see --help",
    ],
    [
      'an empty file name',
      ['--kubernetes.kubeconfig='],
      "option '--kubernetes.kubeconfig <file>' argument '' is invalid. Expected a value; see --help",
    ],
    [
      'a flag without its value',
      ['--kubernetes.context'],
      "option '--kubernetes.context <name>' argument missing; see --help",
    ],
    [
      'a flag given twice',
      ['--web.max-requests=1', '--web.max-requests=2'],
      "option '--web.max-requests <number>' argument '2' is invalid. It cannot be given twice; see --help",
    ],
    [
      'a switch with a value',
      ['--collector.nodes=true'],
      "unknown option '--collector.nodes=true'; see --help",
    ],
  ])('refuses %s', (_, args, error) => {
    expect(parseFlags(args, 'v')).toEqual({ kind: 'wrong', error });
  });
});
