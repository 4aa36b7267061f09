import type { CommandSpec } from '../command/command-spec.js';
import { dryRunFlag, filenameFlags, printFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'apply',
  short: 'Apply a configuration from files or standard input',
  usage: 'kubectl apply (-f FILENAME | -k DIRECTORY) [options]',
  flagsByVariable: {
    KUBECTL_APPLYSET: '--applyset string Object that remembers what belongs together, as [RESOURCE][.GROUP]/NAME.',
  },
  flags: [
    filenameFlags,
    printFlags,
    dryRunFlag,
    `
    --all bool=false Select all objects of the given types in the namespace.
    --cascade string=background?background What becomes of dependents: "background", "foreground" or "orphan".
    --field-manager string=kubectl-client-side-apply Name of the field manager of the changes.
    --force bool=false Skip graceful deletion; work on a node may go on.
    --force-conflicts bool=false Take over fields that other managers own (server-side apply).
    --grace-period int=-1 Seconds that the objects get to terminate; -1 leaves it to them, 0 with --force is immediate.
    --openapi-patch bool=true Compute the patch with the OpenAPI schema of the server.
    --overwrite bool=true Resolve conflicts in favour of the given configuration.
    --prune bool=false Delete objects that earlier configurations had and this one has not. Needs -l or --all.
    --prune-allowlist stringArray Kinds that may be pruned instead of the default ones, as group/version/kind.
    -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
    --server-side bool=false Apply on the server instead of in the client.
    --subresource string Subresource to work on.
    --timeout duration=0s How long to wait; 0 leaves it to the command.
    --validate string=strict?strict What to do about unknown and duplicate fields: strict (or true), warn, ignore (or false).
    --wait bool=false Wait until the objects are gone.
  `,
  ],
  subcommands: [
    {
      name: 'edit-last-applied',
      short: 'Edit the last applied configuration of objects in an editor',
      usage: 'kubectl apply edit-last-applied (RESOURCE/NAME | -f FILENAME) [options]',
      flags: [
        filenameFlags,
        printFlags,
        `
      --field-manager string=kubectl-client-side-apply Name of the field manager of the changes.
      --validate string=strict?strict What to do about unknown and duplicate fields: strict (or true), warn, ignore (or false).
      --windows-line-endings bool=false Use Windows line endings in the edited file.
    `,
      ],
      run: () => import('../commands/apply/edit-last-applied.js'),
    },
    {
      name: 'set-last-applied',
      short: 'Set the last applied configuration of objects to the content of a file',
      usage: 'kubectl apply set-last-applied -f FILENAME [options]',
      flags: [
        printFlags,
        dryRunFlag,
        `
      --create-annotation bool=false Create the last-applied-configuration annotation if the object has none.
      -f, --filename stringSlice File, directory or URL with the objects.
    `,
      ],
      run: () => import('../commands/apply/set-last-applied.js'),
    },
    {
      name: 'view-last-applied',
      short: 'Print the last applied configuration of objects',
      usage: 'kubectl apply view-last-applied (TYPE [NAME | -l label] | TYPE/NAME | -f FILENAME) [options]',
      flags: [
        filenameFlags,
        `
      --all bool=false Select all objects of the given types in the namespace.
      -o, --output string=yaml Output format.
      -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
    `,
      ],
      run: () => import('../commands/apply/view-last-applied.js'),
    },
  ],
  run: () => import('../commands/apply/apply.js'),
};
