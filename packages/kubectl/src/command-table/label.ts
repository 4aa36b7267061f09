import type { CommandSpec } from '../command/command-spec.js';
import { metadataFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'label',
  short: 'Update the labels of objects',
  usage:
    'kubectl label [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version] [options]',
  flags: metadataFlags('kubectl-label'),
  run: () => import('../commands/label.js'),
};
