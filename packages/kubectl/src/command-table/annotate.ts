import type { CommandSpec } from '../command/command-spec.js';
import { dryRunFlag, filenameFlags, printFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'annotate',
  short: 'Update the annotations of objects',
  usage:
    'kubectl annotate [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version] [options]',
  flags: [
    filenameFlags,
    printFlags,
    dryRunFlag,
    `
    --all bool=false Select all objects of the given types in the namespace.
    -A, --all-namespaces bool=false Look in all namespaces, whatever namespace the context or --namespace names.
    --field-manager string=kubectl-annotate Name of the field manager of the changes.
    --field-selector string Field selector, such as --field-selector key1=value1,key2!=value2.
    --list bool=false Print what the objects have.
    --local bool=false Work on the given files without asking the server.
    --overwrite bool=false Replace values that exist.
    --resource-version string Change the object only if this is its resource version.
    -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
  `,
  ],
  run: () => import('../commands/annotate.js'),
};
