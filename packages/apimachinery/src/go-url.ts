import { quoteLikeGo } from './field-error.js';
import { parseIp } from './ip.js';

/** The parts of a URL. Path and query are not decoded. */
export interface UrlParts {
  readonly scheme: string;
  /** With the port. */
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

/** Thrown for an invalid URL, with the reason. */
class UrlError extends Error {
  override readonly name: string = 'UrlError';
}

/** The error in the text as an absolute URL or path, as in the request line of HTTP. */
export function requestUrlProblem(text: string): string | undefined {
  try {
    readRequestUrl(text);
    return undefined;
  } catch (error) {
    if (error instanceof UrlError) return `parse ${quoteLikeGo(text)}: ${error.message}`;
    throw error;
  }
}

function readRequestUrl(text: string): UrlParts {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\0-\x1f\x7f]/.test(text)) throw new UrlError('net/url: invalid control character in URL');
  if (text === '') throw new UrlError('empty url');
  return split(text, true);
}

/** The parts of a text that is fit for a request, without the fragment, and with the host after two slashes. */
export function urlParts(text: string): UrlParts {
  const hash = text.indexOf('#');
  return split(hash < 0 ? text : text.slice(0, hash), false);
}

/** `isRequest`: without a scheme, everything is path. Otherwise two slashes begin a host. */
function split(text: string, isRequest: boolean): UrlParts {
  const none = { scheme: '', host: '', path: '', query: '' };
  if (text === '*') return { ...none, path: text };
  if (text.startsWith(':')) throw new UrlError('missing protocol scheme');
  const [start = '', name = ''] = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text) ?? [];
  const scheme = name.toLowerCase();
  const [, rest = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(text.slice(start.length)) ?? [];
  if (!rest.startsWith('/')) {
    if (scheme === '') throw new UrlError('invalid URI for request');
    return { ...none, scheme, query };
  }
  const hasHost = rest.startsWith('//') && (scheme !== '' || (!isRequest && !rest.startsWith('///')));
  const [, authority = '', path = ''] = hasHost ? (/^\/\/([^/]*)(.*)$/s.exec(rest) ?? []) : ['', '', rest];
  const host = hasHost ? readAuthority(authority) : '';
  percentDecode(path);
  return { scheme, host, path, query };
}

function readAuthority(authority: string): string {
  const at = authority.lastIndexOf('@');
  const host = readHost(authority.slice(at + 1));
  const user = authority.slice(0, Math.max(at, 0));
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) throw new UrlError('net/url: invalid userinfo');
  percentDecode(user);
  return host;
}

function readHost(host: string): string {
  const open = host.lastIndexOf('[');
  if (open > 0) throw new UrlError('invalid IP-literal');
  const close = host.lastIndexOf(']');
  if (open === 0 && close < 0) throw new UrlError("missing ']' in host");
  const colon = open === 0 ? close + 1 : host.indexOf(':');
  const port = colon < 0 ? '' : host.slice(colon);
  if (!/^(:\d*)?$/.test(port)) throw new UrlError(`invalid port ${quoteLikeGo(port)} after host`);
  if (open < 0) return decodeHost(host);
  const address = percentDecode(host.slice(1, close));
  const ip = parseIp(address.replace(/%.+$/s, ''));
  if (!ip) throw new UrlError(`invalid host: ParseAddr(${quoteLikeGo(address)}): unable to parse IP`);
  if (ip.family === 4) throw new UrlError('invalid IP-literal');
  return `[${address}]${port}`;
}

/** Only characters beyond ASCII, and the percent sign itself, may be written with a percent sign in a host. */
function decodeHost(host: string): string {
  const bad = /%(?![89A-Fa-f][0-9A-Fa-f]|25).{0,2}|[^\w\-.~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/su.exec(host)?.[0];
  if (bad === undefined) return percentDecode(host);
  throw new UrlError(
    bad.startsWith('%')
      ? `invalid URL escape ${quoteLikeGo(bad)}`
      : `invalid character ${quoteLikeGo(bad)} in host name`,
  );
}

function percentDecode(text: string): string {
  const bad = /%(?![0-9A-Fa-f]{2})[\s\S]{0,2}/.exec(text)?.[0];
  if (bad !== undefined) throw new UrlError(`invalid URL escape ${quoteLikeGo(bad)}`);
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => {
    const bytes = run.slice(1).split('%');
    return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)));
  });
}

/** The host without the port, and the port. */
export function hostAndPort(host: string): { readonly hostname: string; readonly port: string } {
  const [, address = '', port = ''] = /^(.*?)(?::(\d*))?$/s.exec(host) ?? [];
  return { hostname: address.replace(/^\[(.*)\]$/s, '$1'), port };
}

const plainPath = /^[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]%/]*$/;

/** The path as written, if nothing in it had to be escaped. */
export function escapedPath(path: string): string {
  if (plainPath.test(path)) return path;
  const percent = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURI(percentDecode(path)).replace(/[!'()*?#]/g, percent);
}

/** The values of every key. Pairs that cannot be read are left out. */
export function queryValues(query: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';') || /%(?![0-9A-Fa-f]{2})/.test(pair)) continue;
    const [, key = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair.replaceAll('+', ' ')) ?? [];
    const name = percentDecode(key);
    values.set(name, [...(values.get(name) ?? []), percentDecode(value)]);
  }
  return values;
}
