import type { CommandSpec } from '../command/command-spec.js';

export const command: CommandSpec = {
  name: 'completion',
  short: 'Print shell completion code for bash, zsh, fish or powershell',
  usage: 'kubectl completion SHELL [options]',
  run: () => import('../commands/completion.js'),
};
