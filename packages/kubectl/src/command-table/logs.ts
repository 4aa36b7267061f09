import type { CommandSpec } from '../command/command-spec.js';

export const command: CommandSpec = {
  name: 'logs',
  short: 'Print the logs of a container',
  usage: 'kubectl logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER] [options]',
  flags: [
    `
    --all-containers bool=false Print the logs of every container of the pod.
    --all-pods bool=false Print the logs of all pods of the resource, each line with its pod.
    -c, --container string Name of the container; by default the one that the pod's annotation names, else the first.
    -f, --follow bool=false Follow the logs.
    --ignore-errors bool=false Go on when the log of one container cannot be read.
    --insecure-skip-tls-verify-backend bool=false Do not verify the kubelet's certificate. Insecure.
    --limit-bytes int64=0 Number of bytes to print at most; 0 for all.
    --max-log-requests int=5 Number of logs to follow at the same time.
    --pod-running-timeout duration=20s How long to wait until a pod runs.
    --prefix bool=false Put the pod and the container in front of each line.
    -p, --previous bool=false Print the logs of the previous instance of the container.
    -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
    --since duration=0s Only logs of this last while, such as 5s, 2m or 3h.
    --since-time string Only logs after this time (RFC 3339).
    --tail int64=-1 Number of lines from the end; -1 for all, 10 with a selector.
    --timestamps bool=false Print the time of each line.
  `,
  ],
  run: () => import('../commands/logs.js'),
};
