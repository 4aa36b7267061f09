import type { CommandSpec } from '../command/command-spec.js';
import { dryRunFlag, filenameFlags, printFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'autoscale',
  short: 'Create an autoscaler for a deployment, replica set, stateful set or replication controller',
  usage:
    'kubectl autoscale (-f FILENAME | TYPE NAME | TYPE/NAME) [--min=MINPODS] --max=MAXPODS [--cpu=CPU] [--memory=MEMORY] [options]',
  hiddenFlags: ['--cpu-percent int=-1 Target CPU utilization in percent.'],
  deprecatedFlags: {
    'cpu-percent':
      "Use --cpu with percentage or resource quantity format (e.g., '70%' for utilization or '500m' for milliCPU).",
  },
  requiredFlags: ['max'],
  flags: [
    filenameFlags,
    printFlags,
    dryRunFlag,
    `
    --cpu string Target CPU utilization in percent, or a target average as a quantity.
    --field-manager string=kubectl-autoscale Name of the field manager of the changes.
    --max int32=-1 Upper limit of the number of pods.
    --memory string Target memory utilization in percent, or a target average as a quantity.
    --min int32=-1 Lower limit of the number of pods.
    --name string Name of the new object.
    --save-config bool=false Save the configuration in the object's last-applied-configuration annotation.
  `,
  ],
  run: () => import('../commands/autoscale.js'),
};
