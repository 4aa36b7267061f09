// A program: prints how long a million keys take through a work queue.
import { VirtualClock } from '@coracle/base';
import { createWorkQueue } from '@coracle/client';
import { addAndDrain } from '../fixtures/drained-queue.js';
import { stopwatch } from './stopwatch.js';

const keys = Array.from({ length: 1_000_000 }, (_, i) => `default/pod-${i}`);
const queue = createWorkQueue<string>({ clock: new VirtualClock() });
const taken = stopwatch();
await addAndDrain(queue, keys);
console.log(JSON.stringify(taken()));
