import { SpdyError } from './spdy-error.js';

/** Names in lower case. A name that has several values has them joined by NUL. */
export type SpdyHeaders = Readonly<Record<string, string>>;

/** `count (length name length value)*`, every number in four bytes. */
export function encodeHeaders(headers: SpdyHeaders): Uint8Array {
  const texts = Object.entries(headers).flatMap(([name, value]) => [name.toLowerCase(), value]);
  const fields = texts.map((text) => new TextEncoder().encode(text));
  const size = fields.reduce((sum, { length }) => sum + 4 + length, 4);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, fields.length / 2);
  let at = 4;
  for (const field of fields) {
    view.setUint32(at, field.length);
    bytes.set(field, at + 4);
    at += 4 + field.length;
  }
  return bytes;
}

export function decodeHeaders(bytes: Uint8Array): SpdyHeaders {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headers: Record<string, string> = Object.create(null);
  let at = 0;
  const number = () => {
    if (at + 4 > bytes.length) throw new SpdyError('headers are truncated');
    at += 4;
    return view.getUint32(at - 4);
  };
  const text = () => {
    const length = number();
    if (at + length > bytes.length) throw new SpdyError('headers are truncated');
    at += length;
    return new TextDecoder().decode(bytes.subarray(at - length, at));
  };
  for (let left = number(); left > 0; left--) {
    const name = text();
    if (Object.hasOwn(headers, name)) throw new SpdyError(`the header ${JSON.stringify(name)} came twice`);
    headers[name] = text();
  }
  return headers;
}
