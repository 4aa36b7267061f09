import type { CommandSpec } from '../command/command-spec.js';
import { printFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'events',
  short: 'List events',
  usage:
    'kubectl events [(-o|--output=)json|yaml|kyaml|name|go-template|go-template-file|template|templatefile|jsonpath|jsonpath-as-json|jsonpath-file] [--for TYPE/NAME] [--watch] [--types=Normal,Warning] [options]',
  flags: [
    printFlags,
    `
    -A, --all-namespaces bool=false Look in all namespaces, whatever namespace the context or --namespace names.
    --chunk-size int64=500 List in pages of this size; 0 lists all at once.
    --for string Only events of this object, as TYPE/NAME.
    --no-headers bool=false Print no column headers.
    --types stringSlice Only events of these types.
    -w, --watch bool=false Watch for changes after listing.
  `,
  ],
  run: () => import('../commands/events.js'),
};
