import type { CommandSpec } from '../command/command-spec.js';
import { dryRunFlag, filenameFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'delete',
  short: 'Delete objects by file, name or selector',
  usage: 'kubectl delete ([-f FILENAME] | [-k DIRECTORY] | TYPE [(NAME | -l label | --all)]) [options]',
  hiddenFlags: ['--preview bool=false Print what the deletion would take with it, and delete nothing.'],
  flags: [
    filenameFlags,
    dryRunFlag,
    `
    --all bool=false Select all objects of the given types in the namespace.
    -A, --all-namespaces bool=false Look in all namespaces, whatever namespace the context or --namespace names.
    --cascade string=background?background What becomes of dependents: "background", "foreground" or "orphan".
    --field-selector string Field selector, such as --field-selector key1=value1,key2!=value2.
    --force bool=false Skip graceful deletion; work on a node may go on.
    --grace-period int=-1 Seconds that the objects get to terminate; -1 leaves it to them, 0 with --force is immediate.
    --ignore-not-found bool=false An object that does not exist is no error.
    -i, --interactive bool=false Ask before anything is deleted.
    --now bool=false Terminate right away, with a grace period of 1 second.
    -o, --output string Output format.
    --raw string Path of a request that is sent as it is.
    -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
    --timeout duration=0s How long to wait; 0 leaves it to the command.
    --wait bool=true Wait until the objects are gone.
  `,
  ],
  run: () => import('../commands/delete.js'),
};
