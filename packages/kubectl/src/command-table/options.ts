import type { CommandSpec } from '../command/command-spec.js';

export const command: CommandSpec = {
  name: 'options',
  short: 'Print the flags that all commands have',
  usage: '',
  run: () => import('../commands/options.js'),
};
