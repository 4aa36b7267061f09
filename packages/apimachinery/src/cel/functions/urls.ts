import { type Environment, EvaluationError } from '@marcbachmann/cel-js';

const type = 'kubernetes.URL';

/** The parts of an absolute URL or path, as Go reads them: nothing is normalised. */
class CelUrl {
  readonly scheme: string;
  /** With the port. */
  readonly host: string;
  readonly path: string;
  readonly query: string;

  constructor(match: RegExpExecArray) {
    const [, scheme = '', authority = '', path = '', query = ''] = match;
    this.scheme = scheme.toLowerCase();
    this.host = authority.slice(authority.lastIndexOf('@') + 1);
    this.path = path;
    this.query = query;
  }
}

const absolute = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?$/;
const absolutePath = /^()()(\/[^?#]*)(?:\?([^#]*))?$/;

export function registerUrls(environment: Environment): void {
  environment
    .registerType(type, CelUrl)
    .registerFunction(`url(string): ${type}`, (text: string) => {
      const url = parseUrl(text);
      if (!url)
        throw new EvaluationError(
          `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
        );
      return url;
    })
    .registerFunction('isURL(string): bool', (text: string) => parseUrl(text) !== undefined)
    .registerFunction(`${type}.getScheme(): string`, (url: CelUrl) => url.scheme)
    .registerFunction(`${type}.getHost(): string`, (url: CelUrl) => url.host)
    .registerFunction(`${type}.getHostname(): string`, (url: CelUrl) => hostAndPort(url.host).hostname)
    .registerFunction(`${type}.getPort(): string`, (url: CelUrl) => hostAndPort(url.host).port)
    .registerFunction(`${type}.getEscapedPath(): string`, (url: CelUrl) => escapePath(url.path))
    .registerFunction(`${type}.getQuery(): map<string, list<string>>`, (url: CelUrl) => queryOf(url.query));
}

function parseUrl(text: string): CelUrl | undefined {
  if (/[\s\p{Cc}]/u.test(text) || /%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  const match = absolute.exec(text) ?? absolutePath.exec(text);
  if (!match) return undefined;
  const url = new CelUrl(match);
  return /^(?:\[[0-9A-Fa-f:.%]*\]|[^[\]:]*)(?::\d*)?$/.test(url.host) ? url : undefined;
}

function hostAndPort(host: string): { hostname: string; port: string } {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d*))?$/.exec(host);
  return { hostname: match?.[1] ?? match?.[2] ?? '', port: match?.[3] ?? '' };
}

function escapePath(path: string): string {
  return encodeURI(path).replace(/%25([0-9A-Fa-f]{2})/g, '%$1');
}

function queryOf(query: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [key, value] of new URLSearchParams(query)) values.set(key, [...(values.get(key) ?? []), value]);
  return values;
}
