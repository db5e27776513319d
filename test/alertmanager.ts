import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { freePort } from './free-port.ts';
import { startServer } from './server-process.ts';
import { requireTool } from './tools.ts';

const FOLDER = new URL('../alerts/alertmanager/', import.meta.url);
const WEBHOOK = 'https://hooks.slack.com/services/REPLACE/WITH/YOURS';

const ALERTS = v.array(
  v.object({
    labels: v.record(v.string(), v.string()),
    status: v.object({ state: v.string() }),
  }),
);

/** An alert that Alertmanager has now. */
interface ActiveAlert {
  readonly labels: Readonly<Record<string, string>>;
  /** Whether another alert keeps it silent. */
  readonly inhibited: boolean;
}

/** A real Alertmanager with the configuration that users get. */
export interface Alertmanager {
  readonly url: string;
  readonly alerts: () => Promise<readonly ActiveAlert[]>;
  /** Tells it of alerts, as Prometheus does. */
  readonly post: (alerts: readonly Readonly<Record<string, string>>[]) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface AlertmanagerOptions {
  /** Where notifications go, in place of the address that users put in. */
  readonly webhook: string;
  /** Taken if it is free; default: any. */
  readonly preferredPort?: number;
}

/** Starts an Alertmanager and waits until it is ready. */
export async function startAlertmanager({
  webhook,
  preferredPort = 0,
}: AlertmanagerOptions): Promise<Alertmanager> {
  const folder = mkdtempSync(join(tmpdir(), 'alertmanager-'));
  const config = readFileSync(new URL('alertmanager.yml', FOLDER), 'utf8').replace(WEBHOOK, webhook);
  writeFileSync(join(folder, 'alertmanager.yml'), config);
  writeFileSync(
    join(folder, 'notification.tmpl'),
    readFileSync(new URL('notification.tmpl', FOLDER), 'utf8'),
  );
  const port = await freePort(preferredPort);
  const url = `http://127.0.0.1:${port}`;
  const server = await startServer(requireTool('prometheus-alertmanager'), url, [
    `--config.file=${join(folder, 'alertmanager.yml')}`,
    `--storage.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--cluster.listen-address=',
  ]);
  return {
    url,
    alerts: async () => {
      const answer = await fetch(`${url}/api/v2/alerts`);
      return v
        .parse(ALERTS, await answer.json())
        .map(({ labels, status: { state } }) => ({ labels, inhibited: state === 'suppressed' }));
    },
    post: async (alerts) => {
      const answer = await fetch(`${url}/api/v2/alerts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(alerts.map((labels) => ({ labels }))),
      });
      if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
    },
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
