import type { HeaderPair, RequestHead } from '@coracle/ingress';

/** Hop-by-hop headers, which are not forwarded. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);

/** Headers that clients cannot set: a backend must be able to rely on these. */
const ours = new Set([
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
  'forwarded',
]);

export type HeaderFields = Record<string, string | string[]>;

export interface Client {
  readonly address: string;
  /** The host that it requested, before any rewrite. */
  readonly authority: string;
}

/** The request headers that the backend receives. */
export function requestFields(head: RequestHead, client: Client): HeaderFields {
  const fields = fieldsOf(withoutHops(head.headers).filter(([name]) => !ours.has(name) && name !== 'host'));
  // HTTP/2 may send cookies one by one.
  const { cookie } = fields;
  if (Array.isArray(cookie)) fields['cookie'] = cookie.join('; ');
  // A client that requests trailers of gRPC must say so to every neighbour.
  if (head.headers.some(([name, value]) => name.toLowerCase() === 'te' && /\btrailers\b/i.test(value)))
    fields['te'] = 'trailers';
  return {
    ...fields,
    host: head.authority,
    'x-forwarded-for': client.address,
    'x-real-ip': client.address,
    'x-forwarded-host': client.authority,
    'x-forwarded-port': String(head.port),
    'x-forwarded-proto': head.scheme,
  };
}

/** Hop-by-hop headers are left out: the well-known ones, and those that `connection` names. */
export function withoutHops(headers: readonly HeaderPair[]): HeaderPair[] {
  const named = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((one) => one.trim().toLowerCase()));
  return headers
    .map(([name, value]): HeaderPair => [name.toLowerCase(), value])
    .filter(([name]) => !name.startsWith(':') && !hopByHop.has(name) && !named.includes(name));
}

/** Converts pairs to fields, repeated ones to lists. */
export function fieldsOf(headers: readonly HeaderPair[]): HeaderFields {
  const fields = new Map<string, string[]>();
  for (const [name, value] of headers) fields.set(name, [...(fields.get(name) ?? []), value]);
  return Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

/** `rawHeaders` of Node.js, or the headers of a stream, as pairs. */
export function pairsOf(
  raw: readonly string[] | Readonly<Record<string, string | readonly string[] | undefined>>,
): HeaderPair[] {
  if (isRaw(raw)) return Array.from({ length: raw.length / 2 }, (_, i) => [raw[i * 2] ?? '', raw[i * 2 + 1] ?? '']);
  return Object.entries(raw).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? '']).map((one): HeaderPair => [name, String(one)]),
  );
}

function isRaw(raw: Parameters<typeof pairsOf>[0]): raw is readonly string[] {
  return Array.isArray(raw);
}
