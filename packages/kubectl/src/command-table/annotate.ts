import type { CommandSpec } from '../command/command-spec.js';
import { metadataFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'annotate',
  short: 'Update the annotations of objects',
  usage:
    'kubectl annotate [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version] [options]',
  flags: metadataFlags('kubectl-annotate'),
  run: () => import('../commands/annotate.js'),
};
