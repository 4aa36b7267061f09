import type { CommandSpec } from '../command/command-spec.js';
import { dryRunFlag, filenameFlags, printFlags, selectorFlag } from './shared-flags.js';

const changeFlags = [
  filenameFlags,
  printFlags,
  selectorFlag,
  '--field-manager string=kubectl-rollout Name of the field manager of the changes.',
];

export const command: CommandSpec = {
  name: 'rollout',
  short: 'Manage rollouts of workloads',
  usage: 'kubectl rollout SUBCOMMAND [options]',
  subcommands: [
    {
      name: 'history',
      short: 'Print the history of rollouts',
      usage: 'kubectl rollout history (TYPE NAME | TYPE/NAME) [flags] [options]',
      flags: [
        filenameFlags,
        printFlags,
        `
      --revision int64=0 Revision to show; 0 is the last one.
      -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
    `,
      ],
      run: () => import('../commands/rollout/history.js'),
    },
    {
      name: 'pause',
      short: 'Pause a rollout',
      usage: 'kubectl rollout pause RESOURCE [options]',
      flags: changeFlags,
      run: () => import('../commands/rollout/pause.js'),
    },
    {
      name: 'restart',
      short: 'Restart the pods of a workload',
      usage: 'kubectl rollout restart RESOURCE [options]',
      flags: changeFlags,
      run: () => import('../commands/rollout/restart.js'),
    },
    {
      name: 'resume',
      short: 'Resume a paused rollout',
      usage: 'kubectl rollout resume RESOURCE [options]',
      flags: changeFlags,
      run: () => import('../commands/rollout/resume.js'),
    },
    {
      name: 'status',
      short: 'Print the status of a rollout',
      usage: 'kubectl rollout status (TYPE NAME | TYPE/NAME) [flags] [options]',
      hiddenFlags: ['--reason bool=false Say what the pods wait for when the time is over.'],
      flags: [
        filenameFlags,
        `
      --revision int64=0 Revision to show; 0 is the last one.
      -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
      --timeout duration=0s How long to wait; 0 leaves it to the command.
      -w, --watch bool=true Watch the rollout until it is done.
    `,
      ],
      run: () => import('../commands/rollout/status.js'),
    },
    {
      name: 'undo',
      short: 'Undo a rollout',
      usage: 'kubectl rollout undo (TYPE NAME | TYPE/NAME) [flags] [options]',
      flags: [
        filenameFlags,
        printFlags,
        dryRunFlag,
        `
      -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
      --to-revision int64=0 Revision to go back to; 0 is the previous one.
    `,
      ],
      run: () => import('../commands/rollout/undo.js'),
    },
  ],
};
