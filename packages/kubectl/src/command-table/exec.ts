import type { CommandSpec } from '../command/command-spec.js';

export const command: CommandSpec = {
  name: 'exec',
  short: 'Run a command in a container',
  usage: 'kubectl exec (POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...] [options]',
  flags: [
    `
    -c, --container string Name of the container; by default the one that the pod's annotation names, else the first.
    -f, --filename stringSlice File, directory or URL with the objects.
    --pod-running-timeout duration=1m0s How long to wait until a pod runs.
    -q, --quiet bool=false Print no messages of kubectl's own.
    -i, --stdin bool=false Pass standard input to the container.
    -t, --tty bool=false Allocate a terminal.
  `,
  ],
  run: () => import('../commands/exec.js'),
};
