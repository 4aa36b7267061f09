import type { CommandSpec } from '../command/command-spec.js';
import { printFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'kuberc',
  short: 'Change the kuberc preferences',
  usage: 'kubectl kuberc SUBCOMMAND [options]',
  subcommands: [
    {
      name: 'set',
      short: 'Set values in the kuberc file',
      usage: 'kubectl kuberc set --section (defaults|aliases) --command COMMAND [options]',
      requiredFlags: ['section'],
      flags: [
        `
      --allowlist-entry stringArray Entry of the credential plugin allowlist.
      --appendarg stringArray Argument that an alias adds after those of the user.
      --command string Command that the preference is for.
      --kuberc string File with the kuberc preferences.
      --name string Name of the new object.
      --option stringArray Default of a flag, as NAME=VALUE.
      --overwrite bool=false Replace values that exist.
      --policy string Policy of the credential plugins.
      --prependarg stringArray Argument that an alias adds before those of the user.
      --section string Section of the kuberc file: defaults, aliases or credentialplugin.
    `,
      ],
      run: () => import('../commands/kuberc/set.js'),
    },
    {
      name: 'view',
      short: 'Print the kuberc file',
      usage: 'kubectl kuberc view [options]',
      flags: [
        printFlags,
        `
      --kuberc string File with the kuberc preferences.
    `,
      ],
      run: () => import('../commands/kuberc/view.js'),
    },
  ],
};
