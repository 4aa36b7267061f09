import type { CommandSpec } from '../command/command-spec.js';

export const command: CommandSpec = {
  name: 'plugin',
  short: 'Work with plugins',
  usage: 'kubectl plugin [flags] [options]',
  subcommands: [
    {
      name: 'list',
      short: 'List the plugins on the PATH',
      usage: 'kubectl plugin list [flags] [options]',
      flags: [
        `
      --name-only bool=false Print the names without their directories.
    `,
      ],
      run: () => import('../commands/plugin/list.js'),
    },
  ],
};
