// A program: prints how long a million keys take through a work queue.
import { VirtualClock } from '@coracle/base';
import { createWorkQueue } from '@coracle/client';
import { stopwatch } from './stopwatch.js';

const keys = Array.from({ length: 1_000_000 }, (_, i) => `default/pod-${i}`);
const queue = createWorkQueue<string>({ clock: new VirtualClock() });
const taken = stopwatch();
for (const key of keys) queue.add(key);
for (let left = keys.length; left > 0; left--) {
  const key = await queue.take();
  if (key === undefined) throw new Error('a key is missing');
  queue.forget(key);
  queue.done(key);
}
console.log(JSON.stringify(taken()));
