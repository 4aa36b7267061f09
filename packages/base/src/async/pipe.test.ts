import { expect, test } from 'vitest';
import { Pipe } from './pipe.js';

async function all<T>(pipe: Pipe<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of pipe) items.push(item);
  return items;
}

test('a reader gets the data before and after it started, up to the end', async () => {
  const pipe = new Pipe<number>();
  pipe.write(1);
  const read = all(pipe);
  pipe.write(2);
  await Promise.resolve();
  pipe.write(3);
  pipe.end();
  pipe.write(4);
  expect(await read).toEqual([1, 2, 3]);
});

test('a failure follows the data before it', async () => {
  const pipe = new Pipe<number>();
  pipe.write(1);
  pipe.end(new Error('broken'));
  const reader = pipe[Symbol.asyncIterator]();
  expect(await reader.next()).toEqual({ value: 1, done: false });
  await expect(reader.next()).rejects.toThrow('broken');
});

test('buffered data is measured', async () => {
  const pipe = new Pipe<string>(({ length }) => length);
  pipe.write('abc');
  pipe.write('de');
  expect(pipe.unread).toBe(5);
  await pipe[Symbol.asyncIterator]().next();
  expect(pipe.unread).toBe(2);
});
