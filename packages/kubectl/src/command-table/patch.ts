import type { CommandSpec } from '../command/command-spec.js';
import { dryRunFlag, filenameFlags, printFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'patch',
  short: 'Change fields of an object',
  usage: 'kubectl patch (-f FILENAME | TYPE NAME) [-p PATCH|--patch-file FILE] [options]',
  flags: [
    filenameFlags,
    printFlags,
    dryRunFlag,
    `
    --field-manager string=kubectl-patch Name of the field manager of the changes.
    --local bool=false Work on the given files without asking the server.
    -p, --patch string The patch, in JSON or YAML.
    --patch-file string File with the patch.
    --subresource string Subresource to work on.
    --type string=strategic Type of the patch: json, merge or strategic.
  `,
  ],
  run: () => import('../commands/patch.js'),
};
