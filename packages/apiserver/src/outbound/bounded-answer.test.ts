import type { ApiResponse } from '@coracle/apimachinery';
import { VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import { readBoundedJson } from './bounded-answer.js';

const bytes = (text: string, status = 200): ApiResponse => ({
  status,
  headers: {},
  body: { kind: 'bytes', chunks: [new TextEncoder().encode(text)] },
});
const read = (response: ApiResponse) =>
  readBoundedJson(async () => response, { timeoutMs: 1_000, maxBytes: 10, clock: new VirtualClock() });

test('a response in JSON is parsed; a value is passed on', async () => {
  const value = { count: 'more than ten bytes' };
  expect(await read(bytes('{"a":1}'))).toEqual({ status: 200, value: { a: 1 } });
  expect((await read({ status: 200, headers: {}, body: { kind: 'value', value } })).value).toBe(value);
});

test('an error need not be JSON', async () => {
  expect(await read(bytes('no', 500))).toEqual({ status: 500, value: undefined });
});

test('a response that is too large or not JSON fails', async () => {
  await expect(read(bytes('{"a":123456789}'))).rejects.toThrow('larger than 10 bytes');
  await expect(read(bytes('{'))).rejects.toThrow(SyntaxError);
});

test('a late response fails', async () => {
  const clock = new VirtualClock();
  const answer = readBoundedJson(() => new Promise(() => {}), { timeoutMs: 1_000, maxBytes: 10, clock });
  const failed = expect(answer).rejects.toThrow('context deadline exceeded');
  await clock.advance(1_000);
  await failed;
});
