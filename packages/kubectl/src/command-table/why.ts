import type { CommandSpec } from '../command/command-spec.js';

export const command: CommandSpec = {
  name: 'why',
  short: 'Explain why a pod does not run or an action is denied',
  long: 'Explain why a pod does not run: what the scheduler, the volumes and the containers wait for. With a verb and a resource, explain which roles allow an action, or that none does.',
  usage: 'kubectl why (POD | TYPE/NAME | can-i VERB TYPE[/NAME]) [options]',
  hidden: true,
  run: () => import('../commands/why.js'),
};
