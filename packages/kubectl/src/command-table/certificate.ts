import type { CommandSpec } from '../command/command-spec.js';
import { filenameFlags, printFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'certificate',
  short: 'Approve or deny certificate signing requests',
  usage: 'kubectl certificate SUBCOMMAND [options]',
  subcommands: [
    {
      name: 'approve',
      short: 'Approve a certificate signing request',
      usage: 'kubectl certificate approve (-f FILENAME | NAME) [options]',
      flags: [
        filenameFlags,
        printFlags,
        `
      --force bool=false Approve even if the request has been decided.
    `,
      ],
      run: () => import('../commands/certificate/approve.js'),
    },
    {
      name: 'deny',
      short: 'Deny a certificate signing request',
      usage: 'kubectl certificate deny (-f FILENAME | NAME) [options]',
      flags: [
        filenameFlags,
        printFlags,
        `
      --force bool=false Deny even if the request has been decided.
    `,
      ],
      run: () => import('../commands/certificate/deny.js'),
    },
  ],
};
