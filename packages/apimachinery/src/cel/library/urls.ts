import { declare, type FunctionDeclaration, global, member, signature } from '../overload.js';
import { ValueList } from '../values/cel-list.js';
import { ValueMap } from '../values/cel-map.js';
import { boolType, type CelType, listType, mapType, opaqueType, stringType } from '../values/cel-type.js';
import type { CelMap } from '../values/cel-value.js';
import { CelOpaque } from '../values/cel-value.js';
import { fail } from '../values/evaluation-failure.js';
import { quoteText } from '../values/format-value.js';

const urlType = opaqueType('kubernetes.URL');

/** The parts of an absolute URL or path, as Go reads them: nothing is normalised. */
class CelUrl extends CelOpaque {
  readonly type: CelType = urlType;
  readonly text: string;
  readonly scheme: string;
  /** With the port. */
  readonly host: string;
  readonly path: string;
  readonly query: string;

  constructor(text: string, [, scheme = '', authority = '', path = '', query = '']: readonly string[]) {
    super();
    this.text = text;
    this.scheme = scheme.toLowerCase();
    this.host = authority.slice(authority.lastIndexOf('@') + 1);
    this.path = path;
    this.query = query;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof CelUrl && this.text === other.text;
  }
}

const absolute = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?]*)([^?]*)(?:\?(.*))?$/s;
/** Only a scheme: what follows is not taken apart. */
const opaque = /^([A-Za-z][A-Za-z0-9+.-]*):()()[^/?]+(?:\?(.*))?$/s;
const rootless = /^([A-Za-z][A-Za-z0-9+.-]*):()(\/[^?]*)(?:\?(.*))?$/s;
const absolutePath = /^()()(\/[^?]*)(?:\?(.*))?$/s;

/** A URL, or what is wrong with the text. */
function parse(text: string): CelUrl | string {
  if (/\p{Cc}/u.test(text)) return 'net/url: invalid control character in URL';
  if (text === '') return 'empty url';
  const match = absolute.exec(text) ?? rootless.exec(text) ?? opaque.exec(text) ?? absolutePath.exec(text);
  if (!match)
    return /^[^/?]*:/.test(text) && !/^[A-Za-z]/.test(text) ? 'missing protocol scheme' : 'invalid URI for request';
  const url = new CelUrl(text, match);
  return hostProblem(url.host) ?? escapeProblem(url.path) ?? url;
}

function hostProblem(host: string): string | undefined {
  const bad = /[^\w\-.~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/u.exec(host)?.[0];
  if (bad !== undefined) return `invalid character ${quoteText(bad)} in host name`;
  if (host.startsWith('[') && !host.includes(']')) return "missing ']' in host";
  const port = /:([^:\]]*)$/.exec(host.startsWith('[') ? host.slice(host.indexOf(']')) : host)?.[1];
  if (port !== undefined && !/^\d*$/.test(port)) return `invalid port ${quoteText(`:${port}`)} after host`;
  return escapeProblem(host);
}

function escapeProblem(text: string): string | undefined {
  const bad = /%(?![0-9A-Fa-f]{2})[\s\S]{0,2}/.exec(text)?.[0];
  return bad === undefined ? undefined : `invalid URL escape ${quoteText(bad)}`;
}

function read(text: string): CelUrl {
  const url = parse(text);
  if (typeof url !== 'string') return url;
  return fail(`URL parse error during conversion from string: parse ${quoteText(text)}: ${url}`);
}

function hostAndPort(host: string): { readonly hostname: string; readonly port: string } {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d*))?$/.exec(host);
  return { hostname: match?.[1] ?? match?.[2] ?? '', port: match?.[3] ?? '' };
}

function escapePath(path: string): string {
  return encodeURI(path).replace(/%25([0-9A-Fa-f]{2})/g, '%$1');
}

function queryOf({ query }: CelUrl): CelMap {
  const values = new Map<string, string[]>();
  for (const [key, value] of new URLSearchParams(query)) values.set(key, [...(values.get(key) ?? []), value]);
  return ValueMap.of([...values].map(([key, list]) => [key, new ValueList(list)]));
}

function part(name: string, id: string, get: (url: CelUrl) => string): FunctionDeclaration {
  return declare(name, member(signature(id, [urlType], stringType), get));
}

export const urlTypes: readonly CelType[] = [urlType];

export const urlFunctions: readonly FunctionDeclaration[] = [
  declare('url', global(signature('string_to_url', [stringType], urlType), read)),
  declare(
    'isURL',
    global(signature('is_url_string', [stringType], boolType), (text: string) => typeof parse(text) !== 'string'),
  ),
  part('getScheme', 'url_get_scheme', ({ scheme }) => scheme),
  part('getHost', 'url_get_host', ({ host }) => host),
  part('getHostname', 'url_get_hostname', ({ host }) => hostAndPort(host).hostname),
  part('getPort', 'url_get_port', ({ host }) => hostAndPort(host).port),
  part('getEscapedPath', 'url_get_escaped_path', ({ path }) => escapePath(path)),
  declare(
    'getQuery',
    member(signature('url_get_query', [urlType], mapType(stringType, listType(stringType))), queryOf),
  ),
];
