import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { formatAddress, type ListenAddress } from '../config/listen-address.ts';

/** Servers that listen. */
export interface Listening {
  /** `host:port` of each, with the port that was taken. */
  readonly addresses: readonly string[];
  /** Takes no more connections, lets requests under way finish for `graceMilliseconds`, then ends them. */
  readonly close: (graceMilliseconds: number) => Promise<void>;
}

/** Listens on every address, or on none: throws when one cannot be had. */
export async function listen(
  handler: RequestListener,
  addresses: readonly ListenAddress[],
): Promise<Listening> {
  const servers: Server[] = [];
  const close = async (graceMilliseconds: number): Promise<void> => {
    await Promise.all(servers.map((server) => closeServer(server, graceMilliseconds)));
  };
  try {
    for (const address of addresses) {
      const server = createServer(handler);
      server.listen({ port: address.port, ...(address.host === undefined ? {} : { host: address.host }) });
      await once(server, 'listening');
      servers.push(server);
    }
  } catch (error) {
    await close(0);
    throw error;
  }
  return { addresses: servers.map(addressOf), close };
}

function addressOf(server: Server): string {
  // A listening TCP server has an address of this form.
  const { address, port } = server.address() as AddressInfo;
  return formatAddress(address, port);
}

async function closeServer(server: Server, graceMilliseconds: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const timer = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
  await closed;
  clearTimeout(timer);
}
