import type { CommandSpec } from '../command/command-spec.js';
import { dryRunFlag, filenameFlags, printFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'run',
  short: 'Run an image in a pod',
  usage:
    'kubectl run NAME --image=image [--env="key=value"] [--port=port] [--dry-run=server|client] [--overrides=inline-json] [--command] -- [COMMAND] [args...] [options]',
  requiredFlags: ['image'],
  flags: [
    filenameFlags,
    printFlags,
    dryRunFlag,
    `
    --annotations stringArray Annotation of the pod, as key=value.
    --attach bool=false Wait until the container runs, then attach to it. Default true with -i.
    --cascade string=background?background What becomes of dependents: "background", "foreground" or "orphan".
    --command bool=false Use what follows -- as the command instead of as its arguments.
    --detach-keys string Key sequence that detaches from the container.
    --env stringArray Environment variable, as key=value.
    --expose bool=false Also create a ClusterIP service for the pod; needs --port.
    --field-manager string=kubectl-run Name of the field manager of the changes.
    --force bool=false Skip graceful deletion; work on a node may go on.
    --grace-period int=-1 Seconds that the objects get to terminate; -1 leaves it to them, 0 with --force is immediate.
    --image string Image of the container.
    --image-pull-policy string When to pull the image: Always, IfNotPresent or Never.
    -l, --labels string Labels of the object, as key=value,...
    --leave-stdin-open bool=false Leave standard input open after the first attachment ended.
    --override-type string=merge How --overrides is applied: json, merge or strategic.
    --overrides string JSON that overrides parts of the generated object.
    --pod-running-timeout duration=1m0s How long to wait until a pod runs.
    --port string Port that the container listens on.
    --privileged bool=false Run the container in privileged mode.
    -q, --quiet bool=false Print no messages of kubectl's own.
    --restart string=Always Restart policy of the pod.
    --rm bool=false Delete the pod after it exits; only when attached.
    --save-config bool=false Save the configuration in the object's last-applied-configuration annotation.
    -i, --stdin bool=false Pass standard input to the container.
    --timeout duration=0s How long to wait; 0 leaves it to the command.
    -t, --tty bool=false Allocate a terminal.
    --wait bool=false Wait until the objects are gone.
  `,
  ],
  run: () => import('../commands/run.js'),
};
