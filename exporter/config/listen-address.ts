/** Where to listen. No host: on all addresses, IPv6 and IPv4. Port 0: a free one. */
export interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
}

const ADDRESS = /^(?:\[(?<ipv6>[0-9A-Fa-f:.%\w]+)\]|(?<host>[^\s:[\]]*)):(?<port>\d{1,5})$/u;

/** Reads `:9453`, `host:port` or `[::1]:port`; undefined for anything else. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const groups = ADDRESS.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const port = Number(groups.port);
  return port > 65_535 ? undefined : { host: groups.ipv6 || groups.host || undefined, port };
}

/** Writes an address as a URL has it. */
export function formatAddress(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
