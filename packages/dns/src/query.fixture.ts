import { recordTypes } from './record.js';

/** The bytes of a question, as a stub resolver sends them. */
export function queryFor(
  name: string,
  type: keyof typeof recordTypes | number,
  { payloadSize, id = 0x1234 }: { readonly payloadSize?: number; readonly id?: number } = {},
): Uint8Array {
  const number = typeof type === 'number' ? type : recordTypes[type];
  const labels = name.split('.').filter(Boolean);
  const question = labels.flatMap((label) => [label.length, ...new TextEncoder().encode(label)]);
  const opt = payloadSize === undefined ? [] : [0, 0, 41, payloadSize >> 8, payloadSize & 0xff, 0, 0, 0, 0, 0, 0];
  const counts = [0, 1, 0, 0, 0, 0, 0, opt.length > 0 ? 1 : 0];
  return Uint8Array.from([
    id >> 8,
    id & 0xff,
    1,
    0,
    ...counts,
    ...question,
    0,
    number >> 8,
    number & 0xff,
    0,
    1,
    ...opt,
  ]);
}
