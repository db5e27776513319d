import { EventEmitter, on } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import * as v from 'valibot';

const PAYLOAD = v.object({
  channel: v.string(),
  attachments: v.tuple([v.object({ title: v.string(), text: v.string() })]),
});

/** What arrived at an incoming webhook, in Slack's format, which others understand as well. */
export interface Notification {
  readonly channel: string;
  readonly title: string;
  readonly text: string;
}

/** An incoming webhook that keeps what it gets. */
export interface Webhook {
  readonly url: string;
  readonly notifications: readonly Notification[];
  readonly listen: (listener: (notification: Notification) => void) => void;
  /** The next that comes. Rejects when the signal aborts. */
  readonly next: (signal: AbortSignal) => Promise<Notification>;
  readonly stop: () => Promise<void>;
}

/** Listens on a free port of this machine. */
export async function startWebhook(): Promise<Webhook> {
  const emitter = new EventEmitter<{ notification: [Notification] }>();
  const notifications: Notification[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const {
        channel,
        attachments: [{ title, text: content }],
      } = v.parse(PAYLOAD, JSON.parse(body));
      const notification = { channel, title, text: content };
      notifications.push(notification);
      emitter.emit('notification', notification);
      response.end('ok');
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    notifications,
    listen: (listener) => emitter.on('notification', listener),
    next: async (signal) => {
      for await (const [notification] of on(emitter, 'notification', { signal }))
        return notification as Notification;
      throw new Error('the webhook has stopped');
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
