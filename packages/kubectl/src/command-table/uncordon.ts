import type { CommandSpec } from '../command/command-spec.js';
import { dryRunFlag } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'uncordon',
  short: 'Mark a node as schedulable',
  usage: 'kubectl uncordon NODE [options]',
  flags: [
    dryRunFlag,
    `
    -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
  `,
  ],
  run: () => import('../commands/uncordon.js'),
};
