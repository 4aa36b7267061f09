import { badRequest, fromBase64, toBase64 } from '@coracle/apimachinery';
import type { Revision } from '@coracle/store';

/** Where a list goes on. */
export interface ContinueToken {
  /** All pages are of this revision; -1 to go on with whatever is there now. */
  readonly revision: Revision;
  /** The first key of the next page, without the resource's prefix. */
  readonly startKey: string;
}

const version = 'meta.k8s.io/v1';
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function formatContinueToken({ revision, startKey }: ContinueToken): string {
  const json = JSON.stringify({ v: version, rv: revision, start: startKey });
  return toBase64(encoder.encode(json)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export function parseContinueToken(text: string): ContinueToken {
  const token = readJson(text);
  if (token.v !== version)
    throw badRequest(
      `continue key is not valid: server does not recognize this encoded version ${JSON.stringify(String(token.v ?? ''))}`,
    );
  if (typeof token.rv !== 'number' || token.rv === 0)
    throw badRequest('continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (typeof token.start !== 'string' || token.start === '')
    throw badRequest('continue key is not valid: encoded start key empty (version meta.k8s.io/v1)');
  if (token.start.split('/').includes('..')) throw badRequest(`continue key is not valid: ${token.start}`);
  return { revision: token.rv, startKey: token.start };
}

function readJson(text: string): { v?: unknown; rv?: unknown; start?: unknown } {
  try {
    const bytes = fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
    return (bytes && JSON.parse(decoder.decode(bytes))) ?? {};
  } catch {
    throw badRequest('continue key is not valid: illegal base64 data');
  }
}
