import type { CommandSpec } from '../command/command-spec.js';
import { dryRunFlag, filenameFlags, printFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'replace',
  short: 'Replace objects by file or standard input',
  usage: 'kubectl replace -f FILENAME [options]',
  flags: [
    filenameFlags,
    printFlags,
    dryRunFlag,
    `
    --cascade string=background?background What becomes of dependents: "background", "foreground" or "orphan".
    --field-manager string=kubectl-replace Name of the field manager of the changes.
    --force bool=false Skip graceful deletion; work on a node may go on.
    --grace-period int=-1 Seconds that the objects get to terminate; -1 leaves it to them, 0 with --force is immediate.
    --raw string Path of a request that is sent as it is.
    --save-config bool=false Save the configuration in the object's last-applied-configuration annotation.
    --subresource string Subresource to work on.
    --timeout duration=0s How long to wait; 0 leaves it to the command.
    --validate string=strict?strict What to do about unknown and duplicate fields: strict (or true), warn, ignore (or false).
    --wait bool=false Wait until the objects are gone.
  `,
  ],
  run: () => import('../commands/replace.js'),
};
