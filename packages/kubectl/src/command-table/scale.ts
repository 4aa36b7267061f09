import type { CommandSpec } from '../command/command-spec.js';
import { dryRunFlag, filenameFlags, printFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'scale',
  short: 'Set the number of replicas',
  usage:
    'kubectl scale [--resource-version=version] [--current-replicas=count] --replicas=COUNT (-f FILENAME | TYPE NAME) [options]',
  requiredFlags: ['replicas'],
  flags: [
    filenameFlags,
    printFlags,
    dryRunFlag,
    `
    --all bool=false Select all objects of the given types in the namespace.
    --current-replicas int=-1 Scale only if the current number of replicas is this one.
    --replicas int=0 Number of replicas.
    --resource-version string Change the object only if this is its resource version.
    -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
    --timeout duration=0s How long to wait; 0 leaves it to the command.
  `,
  ],
  run: () => import('../commands/scale.js'),
};
