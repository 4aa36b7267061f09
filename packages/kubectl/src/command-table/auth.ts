import type { CommandSpec } from '../command/command-spec.js';
import { dryRunFlag, filenameFlags, printFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'auth',
  short: 'Inspect authorization',
  usage: 'kubectl auth [flags] [options]',
  subcommands: [
    {
      name: 'can-i',
      short: 'Check whether an action is allowed',
      usage: 'kubectl auth can-i VERB [TYPE | TYPE/NAME | NONRESOURCEURL] [options]',
      flags: [
        `
      -A, --all-namespaces bool=false Look in all namespaces, whatever namespace the context or --namespace names.
      --list bool=false Print everything that is allowed.
      --no-headers bool=false Print no column headers.
      -q, --quiet bool=false Print no messages of kubectl's own.
      --subresource string Subresource to work on.
    `,
      ],
      run: () => import('../commands/auth/can-i.js'),
    },
    {
      name: 'reconcile',
      short: 'Bring RBAC roles and bindings in line with a file',
      usage: 'kubectl auth reconcile -f FILENAME [options]',
      flags: [
        filenameFlags,
        printFlags,
        dryRunFlag,
        `
      --remove-extra-permissions bool=false Remove permissions that the file has not.
      --remove-extra-subjects bool=false Remove subjects that the file has not.
    `,
      ],
      run: () => import('../commands/auth/reconcile.js'),
    },
    {
      name: 'whoami',
      short: 'Print who you are to the server',
      usage: 'kubectl auth whoami [options]',
      flags: [printFlags],
      run: () => import('../commands/auth/whoami.js'),
    },
  ],
};
