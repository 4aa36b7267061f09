import type { CommandSpec } from '../command/command-spec.js';

export const command: CommandSpec = {
  name: 'attach',
  short: 'Attach to the main process of a container',
  usage: 'kubectl attach (POD | TYPE/NAME) -c CONTAINER [options]',
  flags: [
    `
    -c, --container string Name of the container; by default the one that the pod's annotation names, else the first.
    --detach-keys string Key sequence that detaches from the container.
    --pod-running-timeout duration=1m0s How long to wait until a pod runs.
    -q, --quiet bool=false Print no messages of kubectl's own.
    -i, --stdin bool=false Pass standard input to the container.
    -t, --tty bool=false Allocate a terminal.
  `,
  ],
  run: () => import('../commands/attach.js'),
};
