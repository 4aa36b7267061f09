import type { CommandSpec } from '../command/command-spec.js';

export const command: CommandSpec = {
  name: 'cp',
  short: 'Copy files and directories to and from containers',
  usage: 'kubectl cp <file-spec-src> <file-spec-dest> [options]',
  flags: [
    `
    -c, --container string Name of the container; by default the one that the pod's annotation names, else the first.
    --no-preserve bool=false Do not keep owner and permissions in the container.
    --retries int=0 How often to resume a copy from a container; negative means without end.
  `,
  ],
  run: () => import('../commands/cp.js'),
};
