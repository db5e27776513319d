import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A TCP port of the loopback address that nobody listens on now: the preferred one if it is free, else any. */
export async function freePort(preferred = 0): Promise<number> {
  const server = createServer().listen(preferred, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return freePort();
  }
  // A listening TCP server has an address of this form.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
