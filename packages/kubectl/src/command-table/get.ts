import type { CommandSpec } from '../command/command-spec.js';
import { filenameFlags, printFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'get',
  short: 'Print one or many objects',
  usage:
    'kubectl get [(-o|--output=)json|yaml|kyaml|name|go-template|go-template-file|template|templatefile|jsonpath|jsonpath-as-json|jsonpath-file|custom-columns|custom-columns-file|wide] (TYPE[.VERSION][.GROUP] [NAME | -l label] | TYPE[.VERSION][.GROUP]/NAME ...) [flags] [options]',
  flags: [
    filenameFlags,
    printFlags,
    `
    -A, --all-namespaces bool=false Look in all namespaces, whatever namespace the context or --namespace names.
    --chunk-size int64=500 List in pages of this size; 0 lists all at once.
    --field-selector string Field selector, such as --field-selector key1=value1,key2!=value2.
    --ignore-not-found bool=false An object that does not exist is no error.
    -L, --label-columns stringSlice Labels that get a column of their own.
    --no-headers bool=false Print no column headers.
    --output-watch-events bool=false Print each object as a watch event, with its type.
    --raw string Path of a request that is sent as it is.
    -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
    --server-print bool=true Let the server make the table.
    --show-kind bool=false Print the type with each name.
    --show-labels bool=false Print all labels in the last column.
    --sort-by string JSONPath of the field to sort by.
    --subresource string Subresource to work on.
    -w, --watch bool=false Watch for changes after listing.
    --watch-only bool=false Watch for changes without listing first.
  `,
  ],
  run: () => import('../commands/get.js'),
};
