import type { CommandSpec } from '../command/command-spec.js';
import { printFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'wait',
  short: 'Wait for a condition of objects',
  usage:
    "kubectl wait ([-f FILENAME] | resource.group/resource.name | resource.group [(-l label | --all)]) [--for=create|--for=delete|--for condition=available|--for=jsonpath='{}'[=value]] [options]",
  flags: [
    printFlags,
    `
    --all bool=false Select all objects of the given types in the namespace.
    -A, --all-namespaces bool=false Look in all namespaces, whatever namespace the context or --namespace names.
    --field-selector string Field selector, such as --field-selector key1=value1,key2!=value2.
    -f, --filename stringSlice File, directory or URL with the objects.
    --for stringArray Condition to wait for: create, delete, condition=NAME[=VALUE] or jsonpath='{PATH}'[=VALUE].
    --local bool=false Work on the given files without asking the server.
    -R, --recursive bool=true Process directories recursively.
    -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
    --timeout duration=30s How long to wait; 0 leaves it to the command.
  `,
  ],
  run: () => import('../commands/wait.js'),
};
