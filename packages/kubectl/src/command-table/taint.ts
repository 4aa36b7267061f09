import type { CommandSpec } from '../command/command-spec.js';
import { dryRunFlag, printFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'taint',
  short: 'Update the taints of nodes',
  usage: 'kubectl taint NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N [options]',
  flags: [
    printFlags,
    dryRunFlag,
    `
    --all bool=false Select all objects of the given types in the namespace.
    --field-manager string=kubectl-taint Name of the field manager of the changes.
    --overwrite bool=false Replace values that exist.
    -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
    --validate string=strict?strict What to do about unknown and duplicate fields: strict (or true), warn, ignore (or false).
  `,
  ],
  run: () => import('../commands/taint.js'),
};
