import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Alertmanager, startAlertmanager } from '../../test/alertmanager.ts';
import { requireTool } from '../../test/tools.ts';

const run = promisify(execFile);
const CONFIG = fileURLToPath(new URL('alertmanager.yml', import.meta.url));

async function amtool(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(requireTool('amtool'), args);
  return stdout.trim();
}

describe('the example configuration', () => {
  it('is accepted by amtool, with its template', async () => {
    expect(await amtool('check-config', CONFIG)).toContain('SUCCESS');
  });

  it.each([
    ['a page', ['alertname=GKEDisruptionMaintenanceImminent', 'severity=critical', 'node_pool=a4'], 'pager'],
    ['a ticket', ['alertname=GKEDisruptionMaintenanceSoon', 'severity=warning', 'node_pool=a4'], 'tickets'],
    [
      'what is only to be looked at',
      ['alertname=GKEDisruptionMaintenanceOngoing', 'severity=info'],
      'nobody',
    ],
    ['alerts of others', ['alertname=KubeNodeNotReady', 'severity=critical'], 'others'],
  ])('routes %s', async (_what, labels, receiver) => {
    expect(await amtool('config', 'routes', 'test', `--config.file=${CONFIG}`, ...labels)).toBe(receiver);
  });
});

interface Case {
  readonly name: string;
  readonly source: Readonly<Record<string, string>>;
  readonly silent: readonly Readonly<Record<string, string>>[];
  readonly heard: readonly Readonly<Record<string, string>>[];
}

/** An alert of ours; each case has a cluster of its own, so that they do not meet. */
function ours(name: string, severity: string, labels: Readonly<Record<string, string>> = {}) {
  return { alertname: `GKEDisruption${name}`, severity, ...labels };
}

const a4 = { node_pool: 'a4' };
const h4d = { node_pool: 'h4d' };

const CASES: readonly Case[] = [
  {
    name: 'maintenance of a node keeps silent what kubernetes-mixin says of the same node',
    source: ours('MaintenanceOngoing', 'info', { node: 'n1', ...a4 }),
    silent: [
      { alertname: 'KubeNodeNotReady', node: 'n1' },
      { alertname: 'KubeNodeUnreachable', node: 'n1' },
      { alertname: 'KubeletPlegDurationHigh', node: 'n1', instance: 'i' },
    ],
    heard: [
      { alertname: 'KubeNodeNotReady', node: 'n2' },
      { alertname: 'KubeNodeNotReady' },
      { alertname: 'KubeletDown' },
      { alertname: 'KubeNodeNotReady', node: 'n1', cluster: 'elsewhere' },
      { alertname: 'MyTrainingStalled', node: 'n1' },
    ],
  },
  {
    name: 'maintenance of a node whose name is not told keeps nothing silent',
    source: ours('MaintenanceOngoing', 'info', a4),
    silent: [],
    heard: [{ alertname: 'KubeNodeNotReady', node: 'n1' }, { alertname: 'KubeletDown' }],
  },
  {
    name: 'a slice that stops within the hour keeps silent what is told of its nodes',
    source: ours('WholePoolMaintenance', 'critical', a4),
    silent: [
      ours('MaintenanceImminent', 'critical', a4),
      ours('WholePoolMaintenance', 'warning', a4),
      ours('MaintenanceOngoing', 'info', { node: 'n1', ...a4 }),
      ours('MajorityMaintenance', 'warning', a4),
    ],
    heard: [
      ours('MaintenanceImminent', 'critical', h4d),
      ours('MaintenanceOverrun', 'warning', a4),
      ours('InterruptionWithoutNotice', 'warning', a4),
    ],
  },
  {
    name: 'a slice that stops tomorrow lets a page about one of its nodes through',
    source: ours('WholePoolMaintenance', 'warning', a4),
    silent: [ours('MaintenanceSoon', 'warning', a4), ours('MaintenanceScheduled', 'info', a4)],
    heard: [ours('MaintenanceImminent', 'critical', a4)],
  },
  {
    name: 'a slice under maintenance is no longer imminent',
    source: ours('WholePoolMaintenanceOngoing', 'info', a4),
    silent: [ours('MaintenanceImminent', 'critical', a4), ours('WholePoolMaintenance', 'critical', a4)],
    heard: [ours('MaintenanceImminent', 'critical', h4d), ours('MaintenanceOverrun', 'warning', a4)],
  },
  {
    name: 'the nearer keeps the farther silent',
    source: ours('MaintenanceImminent', 'critical', a4),
    silent: [ours('MaintenanceSoon', 'warning', a4), ours('MaintenanceScheduled', 'info', a4)],
    heard: [ours('MaintenanceSoon', 'warning', h4d), ours('MajorityMaintenance', 'warning', a4)],
  },
  {
    name: 'one node under maintenance lets the page about the next node through',
    source: ours('MaintenanceOngoing', 'info', { node: 'n1', ...a4 }),
    silent: [],
    heard: [ours('MaintenanceImminent', 'critical', a4)],
  },
  {
    name: 'an exporter that is gone says it all',
    source: ours('ExporterAbsent', 'critical'),
    silent: [ours('ExporterDown', 'warning'), ours('DataStale', 'warning', { collector: 'nodes' })],
    heard: [ours('MaintenanceSoon', 'warning', a4)],
  },
];

describe('Alertmanager', () => {
  let alertmanager: Alertmanager;

  beforeAll(async () => {
    alertmanager = await startAlertmanager({ webhook: 'http://127.0.0.1:9/' });
  });
  afterAll(() => alertmanager.stop());

  it.each(CASES.map((each, index) => [each.name, each, `cluster-${index}`] as const))(
    '%s',
    async (_name, { source, silent, heard }, cluster) => {
      const all = [source, ...silent, ...heard].map((labels) => ({ cluster, ...labels }));
      const last = lastPair(`${cluster}-last`);
      await alertmanager.post([...all, ...last]);
      await expect.poll(() => inhibitions(last), { timeout: 30_000 }).toStrictEqual([false, true]);
      expect(await inhibitions(all)).toStrictEqual(
        all.map((_labels, index) => index > 0 && index <= silent.length),
      );
    },
  );

  /** Whether each of them is kept silent; undefined where Alertmanager does not have it. */
  async function inhibitions(wanted: readonly Readonly<Record<string, string>>[]) {
    const alerts = await alertmanager.alerts();
    return wanted.map((labels) => alerts.find((alert) => isDeepStrictEqual(alert.labels, labels))?.inhibited);
  }
});

/**
 * Alertmanager answers before it has looked which alerts keep others silent, and then looks at them in their order: once
 * the second of these is silent, all that came before them are looked at.
 */
function lastPair(cluster: string) {
  return [
    { cluster, ...ours('ExporterAbsent', 'critical') },
    { cluster, ...ours('ExporterDown', 'warning') },
  ];
}
