import { type ApiResponse, bodyBytes, readJson } from '@coracle/apimachinery';
import type { ContentCodec } from './content-codec.js';

/** Reads a finite body: the shared value itself in process, otherwise decoded by its content type. */
export async function readBody({ headers, body }: ApiResponse, codec?: ContentCodec): Promise<unknown> {
  if (body.kind === 'value') return body.value;
  if (body.kind === 'values') throw new Error('the server sent a watch in response to a request that is not a watch');
  const bytes = await bodyBytes(body);
  if (bytes.length === 0) return undefined;
  const type = String(headers['content-type'] ?? 'application/json');
  return codec && type.startsWith(codec.mediaType) ? codec.decode(bytes) : decode(bytes, type);
}

function decode(bytes: Uint8Array, type: string): unknown {
  if (type.includes('json')) return readJson(new TextDecoder().decode(bytes));
  return type.startsWith('text/') || type.includes('yaml') ? new TextDecoder().decode(bytes) : bytes;
}
