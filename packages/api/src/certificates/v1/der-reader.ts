/** One element of DER: its tag and the position of its content. */
export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
}

/** The tags that certificates and requests for them are made of. */
export const tags = { bitString: 0x03, oid: 0x06, sequence: 0x30, set: 0x31, attributes: 0xa0 } as const;

/** The elements one after the other. Fails on whatever is cut short. */
export function derElements(bytes: Uint8Array): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { tag, start, end } = header(bytes, at);
    if (end > bytes.length) throw new RangeError('DER: an element is cut short');
    elements.push({ tag, content: bytes.subarray(start, end) });
    at = end;
  }
  return elements;
}

/** The elements within one element of this kind. */
export function within(element: DerElement | undefined, tag: number): DerElement[] {
  if (element?.tag !== tag) throw new RangeError(`DER: expected tag ${tag}, found ${element?.tag}`);
  return derElements(element.content);
}

function header(bytes: Uint8Array, at: number): { tag: number; start: number; end: number } {
  const tag = bytes[at] as number;
  const first = bytes[at + 1];
  if (first === undefined) throw new RangeError('DER: a length is missing');
  if (first < 0x80) return { tag, start: at + 2, end: at + 2 + first };
  const count = first & 0x7f;
  if (count === 0 || count > 4) throw new RangeError('DER: a length is too long');
  let length = 0;
  for (let i = 0; i < count; i++) length = length * 256 + (bytes[at + 2 + i] ?? 0);
  return { tag, start: at + 2 + count, end: at + 2 + count + length };
}

/** `2.5.4.3`. */
export function oidText({ content }: DerElement): string {
  const [first = 0] = content;
  const parts = [Math.min(2, Math.floor(first / 40)), first - 40 * Math.min(2, Math.floor(first / 40))];
  let value = 0;
  for (const byte of content.subarray(1)) {
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      parts.push(value);
      value = 0;
    }
  }
  return parts.join('.');
}
