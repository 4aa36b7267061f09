import type { CommandSpec } from '../command/command-spec.js';

export const command: CommandSpec = {
  name: 'version',
  short: 'Print the versions of client and server',
  usage: 'kubectl version [flags] [options]',
  flags: [
    `
    --client bool=false Print the client's version only; no server is asked.
    -o, --output string Output format.
  `,
  ],
  run: () => import('../commands/version.js'),
};
