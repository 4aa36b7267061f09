import { ExitCode } from '../command/command-error.js';
import type { Host } from '../host.js';

/** Waits; an interrupt ends the command. */
export function sleep(host: Host, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      timer[Symbol.dispose]();
      reject(new ExitCode(130));
    };
    const timer = host.clock.schedule(ms, () => {
      host.interrupted.removeEventListener('abort', stop);
      resolve();
    });
    if (host.interrupted.aborted) stop();
    else host.interrupted.addEventListener('abort', stop, { once: true });
  });
}
