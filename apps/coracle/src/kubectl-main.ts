#!/usr/bin/env node
import { runKubectl } from '@coracle/kubectl';
import { createNodeHost } from '@coracle/platform-nodejs';

const words = process.argv.slice(process.argv[2] === 'kubectl' ? 3 : 2);
process.exit(words[0] === '--install' ? await install(words[1]) : await runKubectl(words, createNodeHost()));

/** Links this program as `kubectl` into a directory of the PATH. */
async function install(directory: string | undefined): Promise<number> {
  const { installKubectl } = await import('./install-kubectl.js');
  return installKubectl(directory, import.meta.url);
}
