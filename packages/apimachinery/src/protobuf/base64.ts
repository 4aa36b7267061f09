const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** Character code → its six bits, -1 for characters that are not base64. */
const values = Int8Array.from({ length: 128 }, (_, code) => alphabet.indexOf(String.fromCharCode(code)));

/** Standard base64 with padding, as JSON carries bytes. */
export function toBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  // In pieces, because a call takes a limited number of arguments. Each but the last is a multiple of three long.
  for (let at = 0; at < bytes.length; at += 6144)
    parts.push(btoa(Reflect.apply(String.fromCharCode, null, bytes.subarray(at, at + 6144))));
  return parts.join('');
}

/** Decodes standard base64, padded or not; line breaks are ignored. `undefined` if it is not base64. */
export function fromBase64(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let length = 0;
  let bits = 0;
  let held = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || code === 13) continue;
    if (code === 61) return isPadding(text, i) ? bytes.subarray(0, length) : undefined;
    const value = code < 128 ? (values[code] as number) : -1;
    if (value < 0) return undefined;
    held = ((held << 6) | value) & 0xffffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = held >> bits;
  }
  return bytes.subarray(0, length);
}

/** Whether the rest is empty. */
function isPadding(text: string, from: number): boolean {
  for (let i = from; i < text.length; i++) if (!'=\r\n'.includes(text[i] as string)) return false;
  return true;
}
