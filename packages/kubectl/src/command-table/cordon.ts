import type { CommandSpec } from '../command/command-spec.js';
import { dryRunFlag } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'cordon',
  short: 'Mark a node as unschedulable',
  usage: 'kubectl cordon NODE [options]',
  flags: [
    dryRunFlag,
    `
    -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
  `,
  ],
  run: () => import('../commands/cordon.js'),
};
