import { formOf, type PreviewForm, type PreviewTarget, proxyPath } from '../model/preview.js';
import { sessionKey } from './session.js';

export interface Preview {
  readonly status: number;
  readonly contentType: string;
  readonly form: PreviewForm;
  /** The text, or the picture as a `data:` address. */
  readonly content: string;
  readonly isCut: boolean;
}

/** Larger objects are not shown. */
const mostBytes = 1 << 20;

/** Requests a port through the API server proxy; `undefined` if the response is a redirect. */
export async function loadPreview(target: PreviewTarget, signal: AbortSignal): Promise<Preview | undefined> {
  const response = await fetch(`/cluster${proxyPath(target)}`, {
    headers: { authorization: `Bearer ${sessionKey()}`, accept: '*/*' },
    redirect: 'manual',
    signal,
  });
  if (response.type === 'opaqueredirect') return undefined;
  const contentType = response.headers.get('content-type') ?? '';
  const form = formOf(contentType);
  const { bytes, isCut } = await readSome(response);
  const content = form === 'picture' ? dataAddress(contentType, bytes) : new TextDecoder().decode(bytes);
  return { status: response.status, contentType, form, content, isCut };
}

async function readSome(response: Response): Promise<{ readonly bytes: Uint8Array; readonly isCut: boolean }> {
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  while (reader && length < mostBytes) {
    const { done, value } = await reader.read();
    if (done) return { bytes: joined(chunks, length), isCut: false };
    chunks.push(value);
    length += value.length;
  }
  await reader?.cancel();
  return { bytes: joined(chunks, length), isCut: length >= mostBytes };
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

function dataAddress(contentType: string, bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return `data:${contentType.split(';')[0]};base64,${btoa(text)}`;
}
