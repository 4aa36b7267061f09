import type { CommandSpec } from '../command/command-spec.js';

export const command: CommandSpec = {
  name: 'top',
  short: 'Print resource usage',
  usage: 'kubectl top [flags] [options]',
  subcommands: [
    {
      name: 'node',
      aliases: ['nodes', 'no'],
      short: 'Print resource usage of nodes',
      usage: 'kubectl top node [NAME | -l label] [options]',
      flags: [
        `
      --no-headers bool=false Print no column headers.
      -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
      --show-capacity bool=false Print usage relative to the capacity instead of what is allocatable.
      --show-swap bool=false Print swap usage too.
      --sort-by string Sort by cpu or memory.
      --use-protocol-buffers bool=true Read metrics as protocol buffers.
    `,
      ],
      run: () => import('../commands/top/node.js'),
    },
    {
      name: 'pod',
      aliases: ['pods', 'po'],
      short: 'Print resource usage of pods',
      usage: 'kubectl top pod [NAME | -l label] [options]',
      flags: [
        `
      -A, --all-namespaces bool=false Look in all namespaces, whatever namespace the context or --namespace names.
      --containers bool=false Print the usage of each container.
      --field-selector string Field selector, such as --field-selector key1=value1,key2!=value2.
      --no-headers bool=false Print no column headers.
      -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
      --show-swap bool=false Print swap usage too.
      --sort-by string Sort by cpu or memory.
      --sum bool=false Print the sum of the usage.
      --use-protocol-buffers bool=true Read metrics as protocol buffers.
    `,
      ],
      run: () => import('../commands/top/pod.js'),
    },
  ],
};
