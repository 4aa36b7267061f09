import { rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** Parameters of the thread. */
export interface PluginThreadData {
  readonly pluginSocket: string;
}

export interface PluginThreadOptions {
  /** The bundle of the plugin. */
  readonly bundle: string;
  /** The socket of the shim. */
  readonly socket: string;
  readonly onError: (error: Error) => void;
}

/** Handles calls of the network plugin on a thread of this process, which saves starting a program for each. */
export function startPluginThread({ bundle, socket, onError }: PluginThreadOptions): AsyncDisposable {
  const data: PluginThreadData = { pluginSocket: socket };
  const thread = new Worker(bundle, { workerData: data });
  thread.on('error', onError);
  thread.unref();
  return {
    async [Symbol.asyncDispose]() {
      // Further calls are handled by the program itself.
      rmSync(socket, { force: true });
      await thread.terminate();
    },
  };
}
