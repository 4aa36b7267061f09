import { badRequest, fromBase64, parseJson, StatusError, toBase64 } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import type { Revision } from '@coracle/store';

/** The position at which a list continues. */
export interface ContinueToken {
  /** The revision of all pages; -1 to continue at the current revision. */
  readonly revision: Revision;
  /** The first key of the next page, without the resource's prefix. */
  readonly startKey: string;
}

const version = 'meta.k8s.io/v1';
const encoder = new TextEncoder();

export function formatContinueToken({ revision, startKey }: ContinueToken): string {
  const json = JSON.stringify({ v: version, rv: revision, start: startKey });
  return toBase64(encoder.encode(json)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export function parseContinueToken(text: string): ContinueToken {
  const { v = '', rv, start } = fieldsIn(text);
  if (v !== version) throw unusable(`: server does not recognize this encoded version ${v}`);
  if (typeof rv === 'number' && !Number.isSafeInteger(rv))
    throw unusable(`: json: cannot unmarshal number ${rv} into Go struct field continueToken.rv of type int64`);
  if ((typeof rv !== 'number' && typeof rv !== 'bigint') || rv === 0)
    throw unusable(': incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (typeof start !== 'string' || start === '') throw unusable(': encoded start key empty (version meta.k8s.io/v1)');
  if (!isCleanPath(start)) throw unusable(`: ${start}`);
  // No store has had so many revisions.
  return { revision: Math.min(Number(rv), Number.MAX_SAFE_INTEGER), startKey: start };
}

/** Only such a relative path stays below the prefix. */
function isCleanPath(path: string): boolean {
  const parts = path.replace(/^\//, '').split('/');
  return !parts.some((part) => part === '' || part === '.' || part === '..');
}

function fieldsIn(text: string): Readonly<Record<string, unknown>> {
  const illegal = /[^\w-]/.exec(text)?.index ?? (text.length % 4 === 1 ? text.length - 1 : undefined);
  if (illegal !== undefined) throw unusable(`: illegal base64 data at input byte ${illegal}`);
  try {
    const { value } = parseJson(fromBase64(text.replaceAll('-', '+').replaceAll('_', '/')) as Uint8Array);
    return isRecord(value) ? value : {};
  } catch (error) {
    throw StatusError.is(error) ? unusable(`: ${error.message}`) : error;
  }
}

function unusable(why: string): StatusError {
  return badRequest(`invalid continue token: continue key is not valid${why}`);
}
