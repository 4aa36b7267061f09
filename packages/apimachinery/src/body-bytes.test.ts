import { expect, test } from 'vitest';
import { bodyBytes } from './body-bytes.js';
import type { ByteSink, ResponseBody } from './exchange.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const textOf = async (body: ResponseBody) => new TextDecoder().decode(await bodyBytes(body));

test.each<[string, ResponseBody]>([
  ['', { kind: 'empty' }],
  ['one', { kind: 'bytes', chunks: [bytes('one')] }],
  ['one, two', { kind: 'bytes', chunks: [bytes('one, '), bytes('two')] }],
  ['', { kind: 'value', value: { kind: 'Pod' } }],
])('the bytes of a body are %j', async (text, body) => {
  expect(await textOf(body)).toBe(text);
});

test('a stream is read to its end, and is notified that it is closed', async () => {
  const sinks: ByteSink[] = [];
  const read = textOf({ kind: 'stream', stream: { open: (sink) => void sinks.push(sink) } });
  const [sink] = sinks;
  let closes = 0;
  sink?.onClose(() => closes++);
  expect([sink?.write(bytes('one, ')), sink?.write(bytes('two')), closes]).toEqual([true, true, 0]);
  sink?.end();
  expect([await read, closes]).toEqual(['one, two', 1]);
});
