import type { CommandSpec } from '../command/command-spec.js';
import { filenameFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'describe',
  short: 'Show the details of objects',
  usage: 'kubectl describe (-f FILENAME | TYPE [NAME_PREFIX | -l label] | TYPE/NAME) [options]',
  flags: [
    filenameFlags,
    `
    -A, --all-namespaces bool=false Look in all namespaces, whatever namespace the context or --namespace names.
    --chunk-size int64=500 List in pages of this size; 0 lists all at once.
    -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
    --show-events bool=true Print the events of the object.
  `,
  ],
  run: () => import('../commands/describe.js'),
};
