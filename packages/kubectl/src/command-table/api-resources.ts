import type { CommandSpec } from '../command/command-spec.js';

export const command: CommandSpec = {
  name: 'api-resources',
  short: 'Print the resources that the server has',
  usage: 'kubectl api-resources [flags] [options]',
  flags: [
    `
    --api-group string Only resources of this API group.
    --cached bool=false Use the discovery cache if there is one.
    --categories stringSlice Only resources of these categories.
    --namespaced bool=true Only namespaced resources, or with =false only cluster-wide ones.
    --no-headers bool=false Print no column headers.
    -o, --output string Output format.
    --show-managed-fields bool=false Print managedFields too (json and yaml).
    --sort-by string Sort by name or kind.
    --verbs stringSlice Only resources with these verbs.
  `,
  ],
  run: () => import('../commands/api-resources.js'),
};
