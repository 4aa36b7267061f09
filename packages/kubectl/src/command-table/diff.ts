import type { CommandSpec } from '../command/command-spec.js';
import { filenameFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'diff',
  short: 'Show what apply would change',
  usage: 'kubectl diff -f FILENAME [options]',
  flags: [
    filenameFlags,
    `
    --concurrency int=1 Number of objects to handle at the same time.
    --field-manager string=kubectl-client-side-apply Name of the field manager of the changes.
    --force-conflicts bool=false Take over fields that other managers own (server-side apply).
    --prune bool=false Include the objects that pruning would delete.
    --prune-allowlist stringArray Kinds that may be pruned instead of the default ones, as group/version/kind.
    -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
    --server-side bool=false Apply on the server instead of in the client.
    --show-managed-fields bool=false Include managedFields.
    --show-secrets bool=false Show the values of secrets in the diff.
  `,
  ],
  hiddenFlags: [
    `
    --color bool=false Show what goes in red and what comes in green.
    --owners bool=false Name the field managers of what differs.
  `,
  ],
  run: () => import('../commands/diff.js'),
};
