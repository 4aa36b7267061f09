import { setMaxListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { endByItself } from './end-by-itself.js';
import { launch } from './launching/launch.js';
import { lowerRuntimeThreads } from './runtime-threads.js';

const args = process.argv.slice(2);
const here = { directory: __dirname, require };
if (args[0] === 'kubectl') void launch({ ...here, program: 'kubectl', args: args.slice(1), end: process.exit });
else {
  // The heap may grow to twice of what is in use, not to four times, before it is collected: under load that saves a
  // fifth of the memory and costs a few per cent of the time. Set before anything is loaded: V8 takes no code that was
  // compiled under other flags.
  setFlagsFromString('--heap-growing-percent=100');
  lowerRuntimeThreads();
  // All pods of a node wait for its one signal; Node.js takes eleven listeners for a leak.
  setMaxListeners(10_000);
  void launch({ ...here, program: 'coracle', args, end: endByItself, startedAfterMs: 3000 });
}
