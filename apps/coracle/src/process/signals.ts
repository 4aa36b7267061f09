import type { ClusterOptions } from '@coracle/cluster';
import { createStderrLogger } from '@coracle/platform-nodejs';

/** Printed to standard error on SIGUSR2, at any log level. */
export const onDebugSignal: NonNullable<ClusterOptions['debugRequests']> = (answer) => {
  const listener = () => answer(createStderrLogger({ level: 'info' }));
  process.on('SIGUSR2', listener);
  return { [Symbol.dispose]: () => void process.off('SIGUSR2', listener) };
};

/** Resolves with the first SIGINT or SIGTERM. The second ends the process at once. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (isStopping) process.exit(1);
        isStopping = true;
        resolve();
      });
    }
  });
}
