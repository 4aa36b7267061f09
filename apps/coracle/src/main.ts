import { setMaxListeners } from 'node:events';
import { launch } from './launching/launch.js';
import { endOnBrokenPipe } from './process/broken-pipe.js';
import { endByItself } from './process/end-by-itself.js';
import { limitHeapGrowth } from './process/heap-growth.js';
import { omitFailedWrites } from './process/lmdb-output.js';
import { lowerRuntimeThreads } from './process/runtime-threads.js';

const args = process.argv.slice(2);
const here = { directory: __dirname, require };
if (args[0] === 'kubectl') void launch({ ...here, program: 'kubectl', args: args.slice(1), end: process.exit });
else {
  endOnBrokenPipe();
  omitFailedWrites();
  limitHeapGrowth();
  lowerRuntimeThreads();
  // All pods of a node listen to its one signal; Node.js reports eleven listeners as a leak.
  setMaxListeners(10_000);
  void launch({ ...here, program: 'coracle', args, end: endByItself, startedAfterMs: 3000 });
}
