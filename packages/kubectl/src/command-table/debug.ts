import type { CommandSpec } from '../command/command-spec.js';

export const command: CommandSpec = {
  name: 'debug',
  short: 'Debug pods and nodes with ephemeral containers and copies',
  usage: 'kubectl debug (POD | TYPE[[.VERSION].GROUP]/NAME) [ -- COMMAND [args...] ] [options]',
  flags: [
    `
    --arguments-only bool=false Pass what follows -- as arguments of the image's command.
    --attach bool=false Wait until the container runs, then attach to it. Default true with -i.
    -c, --container string Name of the container; by default the one that the pod's annotation names, else the first.
    --copy-to string Name of a copy of the pod to debug instead of the pod itself.
    --custom string File with a container spec in JSON or YAML that is merged into the debug container.
    --env stringToString Environment variable, as key=value.
    -f, --filename stringSlice File, directory or URL with the objects.
    --image string Image of the container.
    --image-pull-policy string When to pull the image: Always, IfNotPresent or Never.
    --keep-annotations bool=false Keep the annotations of the pod in the copy.
    --keep-init-containers bool=true Keep the init containers of the pod in the copy.
    --keep-labels bool=false Keep the labels of the pod in the copy.
    --keep-liveness bool=false Keep the liveness probes in the copy.
    --keep-readiness bool=false Keep the readiness probes in the copy.
    --keep-startup bool=false Keep the startup probes in the copy.
    --profile string=general Debugging profile: general, baseline, restricted, netadmin, sysadmin or legacy.
    -q, --quiet bool=false Print no messages of kubectl's own.
    --replace bool=false Delete the original pod; with --copy-to.
    --same-node bool=false Run the copy on the node of the pod.
    --set-image stringToString Images of the copy, as container=image.
    --share-processes bool=true Share the process namespace in the copy.
    -i, --stdin bool=false Pass standard input to the container.
    --target string Container whose processes an ephemeral container sees.
    -t, --tty bool=false Allocate a terminal.
  `,
  ],
  run: () => import('../commands/debug.js'),
};
