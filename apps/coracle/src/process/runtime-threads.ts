import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** How much lower the priority of the threads becomes. */
const step = 10;
const lowest = 19;

/** Flags of Node.js with which other code runs before the program; it may have started threads. */
const preloadFlags = /^(?:-r|--require|--import|--loader|--experimental-loader)(?:=|$)/;

/**
 * Gives the threads on which V8 compiles and collects garbage a lower priority than the one that serves. On a machine
 * with few cores that would otherwise wait for the compiler in its first seconds.
 *
 * Call it in the first synchronous turn of a CommonJS program. All threads beside the main one are the runtime's own
 * then: the thread pool of libuv is created by the first asynchronous call, and workers by the program. Threads that are
 * created later have the priority of the main thread, which created them.
 *
 * Linux alone shows the threads of a process; elsewhere, and where it is not permitted, all priorities stay as they are.
 */
export function lowerRuntimeThreads(): void {
  if (process.platform !== 'linux' || preloadsCode(process.execArgv, process.env['NODE_OPTIONS'])) return;
  try {
    const priority = Math.min(getPriority() + step, lowest);
    for (const thread of readdirSync('/proc/self/task').map(Number)) {
      if (thread !== process.pid) setPriority(thread, priority);
    }
  } catch {
    // The threads compete as they do without this.
  }
}

/** Whether Node.js runs other code before the program (`--import`, `--require`). */
export function preloadsCode(execArgv: readonly string[], nodeOptions = ''): boolean {
  return [...execArgv, ...nodeOptions.split(/[\s"]+/)].some((flag) => preloadFlags.test(flag));
}
