import type { CommandSpec } from '../command/command-spec.js';
import { filenameFlags, printFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'edit',
  short: 'Edit an object on the server',
  usage: 'kubectl edit (RESOURCE/NAME | -f FILENAME) [options]',
  flags: [
    filenameFlags,
    printFlags,
    `
    --field-manager string=kubectl-edit Name of the field manager of the changes.
    --output-patch bool=false Print the patch of an edit.
    --save-config bool=false Save the configuration in the object's last-applied-configuration annotation.
    --subresource string Subresource to work on.
    --validate string=strict?strict What to do about unknown and duplicate fields: strict (or true), warn, ignore (or false).
    --windows-line-endings bool=false Use Windows line endings in the edited file.
  `,
  ],
  run: () => import('../commands/edit.js'),
};
