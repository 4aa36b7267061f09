import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** V8 has four threads to compile and to collect garbage on, and one that wakes them. They are made before all others. */
const helpers = 5;
/** How much lower their priority is. */
const step = 10;
const lowest = 19;

/**
 * Lets the thread that serves go before those that only help it. On a machine with few cores it would otherwise wait
 * for the compiler every other moment of its first seconds.
 *
 * Linux alone shows the threads of a process; elsewhere, and where it is not allowed, everything stays as it is.
 */
export function lowerHelperThreads(): void {
  try {
    const threads = readdirSync('/proc/self/task').map(Number);
    const others = threads.filter((thread) => thread !== process.pid).sort((a, b) => a - b);
    for (const thread of others.slice(0, helpers)) setPriority(thread, Math.min(getPriority() + step, lowest));
  } catch {
    // It is as fast as it was.
  }
}
