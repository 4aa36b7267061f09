import type { CommandSpec } from '../command/command-spec.js';
import { printFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'cluster-info',
  short: 'Print the addresses of the control plane and of cluster services',
  usage: 'kubectl cluster-info [flags] [options]',
  subcommands: [
    {
      name: 'dump',
      short: 'Dump the state of the cluster for debugging',
      usage: 'kubectl cluster-info dump [flags] [options]',
      flags: [
        printFlags,
        `
      -A, --all-namespaces bool=false Look in all namespaces, whatever namespace the context or --namespace names.
      --namespaces stringSlice Namespaces to dump.
      --output-directory string Directory to write files to; standard output if empty or '-'.
      --pod-running-timeout duration=20s How long to wait until a pod runs.
    `,
      ],
      run: () => import('../commands/cluster-info/dump.js'),
    },
  ],
  run: () => import('../commands/cluster-info/cluster-info.js'),
};
