import { formatCommands } from '../command/format-help.js';
import { commandEntries } from '../command-table/command-entries.js';

/** The output of `kubectl` without arguments. */
export function rootHelp(): string {
  const visible = commandEntries.filter(({ hidden }) => !hidden);
  const groups = [...new Set(visible.map(({ group }) => group))];
  const parts = groups.map((group) => `${group}\n${formatCommands(visible.filter((one) => one.group === group))}`);
  return [
    'kubectl controls Kubernetes clusters.\n\n The documentation is at https://kubernetes.io/docs/reference/kubectl/\n',
    ...parts,
    'Usage:\n  kubectl [flags] [options]\n',
    'Use "kubectl <command> --help" for more information about a given command.',
    'Use "kubectl options" for a list of global command-line options (applies to all commands).\n',
  ].join('\n');
}
