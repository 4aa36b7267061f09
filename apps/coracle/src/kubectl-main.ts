import { runKubectl } from '@coracle/kubectl';
import { createNodeHost } from '@coracle/platform-nodejs';

/** Runs a kubectl command line and returns its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  if (args[0] !== '--install') return runKubectl(args, createNodeHost());
  // Links this program as `kubectl` into a directory of the PATH.
  const { installKubectl } = await import('./install-kubectl.js');
  return installKubectl(args[1], import.meta.url);
}
