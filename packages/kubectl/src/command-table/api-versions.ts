import type { CommandSpec } from '../command/command-spec.js';

export const command: CommandSpec = {
  name: 'api-versions',
  short: 'Print the API versions that the server has, as "group/version"',
  usage: 'kubectl api-versions [options]',
  run: () => import('../commands/api-versions.js'),
};
