import { escapedPath, hostAndPort, queryValues, requestUrlProblem, type UrlParts, urlParts } from '../../go-url.js';
import { declare, type FunctionDeclaration, global, member, signature } from '../overload.js';
import { ValueList } from '../values/cel-list.js';
import { ValueMap } from '../values/cel-map.js';
import { boolType, type CelType, listType, mapType, opaqueType, stringType } from '../values/cel-type.js';
import type { CelMap } from '../values/cel-value.js';
import { CelOpaque } from '../values/cel-value.js';
import { fail } from '../values/evaluation-failure.js';

const urlType = opaqueType('kubernetes.URL');

class CelUrl extends CelOpaque {
  readonly type: CelType = urlType;
  readonly text: string;
  readonly parts: UrlParts;

  constructor(text: string, parts: UrlParts) {
    super();
    this.text = text;
    this.parts = parts;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof CelUrl && this.text === other.text;
  }
}

function read(text: string): CelUrl {
  const problem = requestUrlProblem(text);
  if (problem !== undefined) return fail(`URL parse error during conversion from string: ${problem}`);
  return new CelUrl(text, urlParts(text));
}

function queryOf({ parts }: CelUrl): CelMap {
  return ValueMap.of([...queryValues(parts.query)].map(([key, list]) => [key, new ValueList(list)]));
}

function part(name: string, id: string, get: (parts: UrlParts) => string): FunctionDeclaration {
  return declare(
    name,
    member(signature(id, [urlType], stringType), ({ parts }: CelUrl) => get(parts)),
  );
}

export const urlTypes: readonly CelType[] = [urlType];

export const urlFunctions: readonly FunctionDeclaration[] = [
  declare('url', global(signature('string_to_url', [stringType], urlType), read)),
  declare(
    'isURL',
    global(signature('is_url_string', [stringType], boolType), (text: string) => requestUrlProblem(text) === undefined),
  ),
  part('getScheme', 'url_get_scheme', ({ scheme }) => scheme),
  part('getHost', 'url_get_host', ({ host }) => host),
  part('getHostname', 'url_get_hostname', ({ host }) => hostAndPort(host).hostname),
  part('getPort', 'url_get_port', ({ host }) => hostAndPort(host).port),
  part('getEscapedPath', 'url_get_escaped_path', ({ path }) => escapedPath(path)),
  declare(
    'getQuery',
    member(signature('url_get_query', [urlType], mapType(stringType, listType(stringType))), queryOf),
  ),
];
