import { BlockList, isIP } from 'node:net';

/**
 * The proxy for a server: that of the connection, for every server; otherwise that of the environment variables, unless
 * `NO_PROXY` matches or the server is on this machine.
 */
export function proxyFor(server: URL, stated: string | undefined, environment: NodeJS.ProcessEnv): string | undefined {
  if (stated) return checked(stated);
  const named = (name: string) => environment[name] || environment[name.toLowerCase()];
  const proxy = named(server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (!proxy || isExcepted(server, named('NO_PROXY') ?? '')) return undefined;
  return checked(/^[a-z0-9]+:\/\//i.test(proxy) ? proxy : `http://${proxy}`);
}

const schemes = ['http:', 'https:', 'socks5:', 'socks5h:'];

function checked(proxy: string): string {
  const { protocol } = new URL(proxy);
  if (schemes.includes(protocol)) return proxy;
  throw new Error(`unsupported scheme ${JSON.stringify(protocol.slice(0, -1))}, must be http, https, or socks5`);
}

function isExcepted(server: URL, list: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))) return true;
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  return list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry !== '' && covers(entry, host, port));
}

/** `*`, a range of addresses, an address or a name; the last two perhaps with a port. */
function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isIP(host) !== 0 && isInRange(entry, host);
  const { name, port: only } = splitPort(entry);
  if (only !== undefined && only !== port) return false;
  if (isIP(host) || isIP(name)) return host === name;
  // With a leading dot only subdomains match, without it the name itself too.
  if (name.startsWith('*.') || name.startsWith('.')) return host.endsWith(name.replace(/^\*/, ''));
  return host === name || host.endsWith(`.${name}`);
}

function splitPort(entry: string): { readonly name: string; readonly port?: string } {
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(entry);
  const plain = /^([^:]+):(\d+)$/.exec(entry);
  const [, name = entry, port] = bracketed ?? plain ?? [];
  return { name, ...(port !== undefined && { port }) };
}

function isInRange(range: string, address: string): boolean {
  const [network = '', bits] = range.split('/');
  const family = isIP(network);
  if (family === 0 || family !== isIP(address) || !/^\d+$/.test(bits ?? '')) return false;
  const ranges = new BlockList();
  const type = family === 6 ? 'ipv6' : 'ipv4';
  try {
    ranges.addSubnet(network, Number(bits), type);
  } catch {
    return false;
  }
  return ranges.check(address, type);
}
