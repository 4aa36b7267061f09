import type { Message } from './raw-client.js';

/** An invalid request, and its error. */
export interface BadRequest extends Message {
  readonly what: string;
  readonly status: number;
  /** Absent if the response is plain text, as for paths outside of the API groups. */
  readonly reason?: string;
  /** A part of the message. */
  readonly words: string;
}

export const configMaps = '/api/v1/namespaces/default/configmaps';
const json = { 'content-type': 'application/json' };
const yaml = { 'content-type': 'application/yaml' };
const notFound = { status: 404, reason: 'NotFound', words: 'could not find the requested resource' };
const noMethod = { status: 405, reason: 'MethodNotAllowed', words: 'does not allow this method' };
const bad = { status: 400, reason: 'BadRequest' };

/** One of each kind; `id` is part of most, so that each request is new to the server. */
export function badRequests(id: number): BadRequest[] {
  const broken = { method: 'POST', path: configMaps, ...bad };
  return [
    { what: 'an unknown path', path: `/nowhere/${id}`, status: 404, words: '404 page not found' },
    { what: 'an unknown group', path: `/apis/none${id}.io/v1/things`, status: 404, words: '404 page not found' },
    { what: 'an unknown version', path: `/api/v7${id}/pods`, ...notFound },
    { what: 'an unknown resource', path: `/api/v1/spaceships${id}`, ...notFound },
    { what: 'a method that the path has not', method: 'PUT', path: configMaps, headers: json, ...noMethod },
    { what: 'a method that nothing has', method: 'PROPFIND', path: `${configMaps}/c${id}`, ...noMethod },
    { what: 'broken JSON', ...broken, body: `{"a${id}":`, headers: json, words: 'json parse error' },
    { what: 'broken YAML', ...broken, body: `a${id}: [`, headers: yaml, words: 'yaml: ' },
    { what: 'a YAML bomb', ...broken, body: yamlBomb(`l${id}x`), headers: yaml, words: 'excessive aliasing' },
    { what: 'deep nesting', ...broken, body: `{"a${id}":`.repeat(100_000), headers: json, words: 'exceeded max depth' },
    {
      what: 'an unknown content type',
      method: 'POST',
      path: configMaps,
      body: 'x',
      headers: { 'content-type': `text/x-${id}` },
      status: 415,
      reason: 'UnsupportedMediaType',
      words: 'accepted media types include',
    },
    {
      what: 'an unknown media type',
      path: configMaps,
      headers: { accept: `image/x-${id}` },
      status: 406,
      reason: 'NotAcceptable',
      words: 'only the following media types are accepted',
    },
    {
      what: 'a broken label selector',
      path: `${configMaps}?labelSelector=a${id}%3D%3D%3Db`,
      ...bad,
      words: "found '=', expected: identifier",
    },
    {
      what: 'a field that cannot be selected on',
      path: `${configMaps}?fieldSelector=spec.colour${id}%3Dred`,
      ...bad,
      words: `spec.colour${id}`,
    },
    { what: 'a broken limit', path: `${configMaps}?limit=many${id}`, ...bad, words: `many${id}` },
    { what: 'a broken continue token', path: `${configMaps}?continue=xyz${id}`, ...bad, words: 'continue' },
    { what: 'a broken resourceVersion', path: `${configMaps}?resourceVersion=new${id}`, ...bad, words: `new${id}` },
    {
      what: 'values that never leave the process',
      path: `/api/v1/x${id}`,
      headers: { 'x-coracle-accepts-values': '1' },
      ...notFound,
    },
    { what: 'a token that is none', ...withToken(`nonsense${id}`) },
    { what: 'an unsigned token', ...withToken(`eyJhbGciOiJub25lIn0.${claims(id)}.`) },
    {
      what: 'an anonymous request',
      path: configMaps,
      anonymous: true,
      status: 403,
      reason: 'Forbidden',
      words: 'User "system:anonymous" cannot list resource "configmaps"',
    },
  ];
}

function withToken(token: string): Omit<BadRequest, 'what'> {
  const headers = { authorization: `Bearer ${token}` };
  return { path: configMaps, headers, anonymous: true, status: 401, reason: 'Unauthorized', words: 'Unauthorized' };
}

function claims(id: number): string {
  return Buffer.from(JSON.stringify({ sub: 'system:admin', jti: String(id) })).toString('base64url');
}

/** Twelve levels of twelve: expanded, there would be 12^12 words. */
function yamlBomb(prefix: string): string {
  const width = 12;
  return Array.from({ length: width }, (_, level) => {
    const below = level === 0 ? 'x' : `*${prefix}${level - 1}`;
    return `${prefix}${level}: &${prefix}${level} [${Array(width).fill(below).join(',')}]`;
  }).join('\n');
}
