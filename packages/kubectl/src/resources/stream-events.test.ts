import type { ByteSink } from '@coracle/apimachinery';
import { expect, test } from 'vitest';
import { chunksOf } from './stream-events.js';

test('the sender of a stream is stopped while its reader is behind, and goes on when that has caught up', async () => {
  let sink: ByteSink | undefined;
  let drains = 0;
  const chunks = chunksOf({ open: (opened) => void (sink = opened) }, new AbortController().signal);
  const first = chunks.next();
  sink?.onDrain(() => drains++);
  const accepted = Array.from({ length: 5 }, () => sink?.write(new Uint8Array(300_000)));
  expect(accepted).toEqual([true, true, true, false, false]);
  await first;
  await chunks.next();
  expect(drains).toBe(1);
  sink?.end();
  let rest = 0;
  for await (const chunk of chunks) rest += chunk.length;
  expect({ rest, drains }).toEqual({ rest: 900_000, drains: 1 });
});
