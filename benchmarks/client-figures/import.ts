// A program: prints what it costs to load the client and the controller runtime, whole.
import { stopwatch } from './stopwatch.js';

globalThis.gc?.();
const before = process.memoryUsage().rss;
const taken = stopwatch();
const loaded = await Promise.all([import('@coracle/client'), import('@coracle/controller-runtime')]);
const time = taken();
globalThis.gc?.();
const names = loaded.reduce((sum, module) => sum + Object.keys(module).length, 0);
console.log(JSON.stringify({ ...time, megabytes: (process.memoryUsage().rss - before) / 1e6, names }));
