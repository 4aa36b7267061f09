import { rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** What the thread is started with. */
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

/** Answers calls of the network plugin on a thread of this process, which saves the start of a program for each. */
export function startPluginThread({ bundle, socket, onError }: PluginThreadOptions): AsyncDisposable {
  const data: PluginThreadData = { pluginSocket: socket };
  const thread = new Worker(bundle, { workerData: data });
  thread.on('error', onError);
  thread.unref();
  return {
    async [Symbol.asyncDispose]() {
      // Calls that come from now on are answered by the program itself.
      rmSync(socket, { force: true });
      await thread.terminate();
    },
  };
}
