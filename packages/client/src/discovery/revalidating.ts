import type { ApiRequest, ApiResponse, Exchange } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import type { DiscoveryFiles } from './cached-discovery.js';

/** A cached response, with its request. */
interface CachedResponse {
  readonly question: string;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Discovery and OpenAPI documents, which have ETags. Objects have none. */
const described = /^\/(?:api(?:\/[^/]+)?|apis(?:\/[^/]+){0,2}|openapi\/.+)$/;

/**
 * Caches API documents in files, and revalidates them with the server: for an unchanged one it returns 304 without a
 * body, and the caller gets the cached one. Cached responses are always revalidated.
 */
export function revalidating(exchange: Exchange, files: DiscoveryFiles): Exchange {
  return async (request) => {
    if (request.method !== 'GET' || request.headers['if-none-match'] || !described.test(request.path))
      return exchange(request);
    const question = questionOf(request);
    const file = await fileOf(question);
    const entry = parse((await files.read(file))?.text, question);
    const headers = { ...request.headers, ...(entry && { 'if-none-match': entry.etag }) };
    const response = await exchange({ ...request, headers });
    if (entry && response.status === 304) return answerOf(entry, response);
    const answer = keptForm(question, response);
    if (answer) await files.write(file, JSON.stringify(answer));
    return response;
  };
}

/** Responses depend on the requested media type. */
function questionOf({ path, query, headers }: ApiRequest): string {
  return `${path}?${query} ${headers['accept'] ?? ''}`;
}

async function fileOf(question: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(question)));
  return `${[...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')}.json`;
}

/** A damaged file, or one of another request, counts as missing. */
function parse(text: string | undefined, question: string): CachedResponse | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isKept(value) && value.question === question ? value : undefined;
  } catch {
    return undefined;
  }
}

function isKept(value: unknown): value is CachedResponse {
  if (!isRecord(value) || !isRecord(value['headers'])) return false;
  return ['question', 'etag', 'body'].every((field) => typeof value[field] === 'string');
}

/** Only texts are cached, and only with an entity tag from the server. */
function keptForm(question: string, { status, headers, body }: ApiResponse): CachedResponse | undefined {
  const { etag, 'content-type': type } = headers;
  if (status !== 200 || body.kind !== 'bytes' || typeof etag !== 'string') return undefined;
  if (typeof type !== 'string' || !type.includes('json')) return undefined;
  const decoder = new TextDecoder();
  const text = body.chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode();
  return { question, etag, headers: { 'content-type': type }, body: text };
}

function answerOf(entry: CachedResponse, { headers }: ApiResponse): ApiResponse {
  const chunks = [new TextEncoder().encode(entry.body)];
  return { status: 200, headers: { ...headers, ...entry.headers }, body: { kind: 'bytes', chunks } };
}
