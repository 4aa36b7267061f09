import type { CommandSpec } from '../command/command-spec.js';

export const command: CommandSpec = {
  name: 'alpha',
  short: 'Commands for alpha features',
  usage: 'kubectl alpha [flags] [options]',
  hidden: true,
  run: () => import('../commands/alpha.js'),
};
