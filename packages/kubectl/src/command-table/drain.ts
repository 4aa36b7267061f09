import type { CommandSpec } from '../command/command-spec.js';
import { dryRunFlag } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'drain',
  short: 'Remove all pods from a node for maintenance',
  usage: 'kubectl drain NODE [options]',
  flags: [
    dryRunFlag,
    `
    --chunk-size int64=500 List in pages of this size; 0 lists all at once.
    --delete-emptydir-data bool=false Drain even if there are pods with emptyDir volumes, whose data is lost.
    --disable-eviction bool=false Delete pods instead of evicting them; pod disruption budgets are not checked.
    --force bool=false Also remove pods that no controller would replace.
    --grace-period int=-1 Seconds that the objects get to terminate; -1 leaves it to them, 0 with --force is immediate.
    --ignore-daemonsets bool=false Leave pods of daemon sets on the node.
    --pod-selector string Label selector of the pods on the node.
    -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
    --skip-wait-for-delete-timeout int=0 Do not wait for pods that have been terminating for more than so many seconds.
    --timeout duration=0s How long to wait; 0 leaves it to the command.
  `,
  ],
  run: () => import('../commands/drain.js'),
};
