import type { CommandSpec } from './command-spec.js';
import type { FlagSpec } from './flag-spec.js';
import { parseFlagLines } from './flag-spec.js';

/** The output of `--help` for a command. */
export function formatHelp(command: CommandSpec): string {
  const flags = (command.flags ?? []).flatMap(parseFlagLines);
  const visible = (command.subcommands ?? []).filter(({ hidden }) => !hidden);
  const parts = [`${command.long ?? `${command.short}.`}\n`];
  if (command.aliases?.length) parts.push(`Aliases:\n${[command.name, ...command.aliases].join(', ')}\n`);
  if (command.example) parts.push(`Examples:\n${command.example}\n`);
  if (visible.length > 0) parts.push(`Available Commands:\n${formatCommands(visible)}`);
  if (flags.length > 0) parts.push(`Options:\n${formatFlags(flags)}`);
  if (command.usage !== '') parts.push(`Usage:\n  ${command.usage}\n`);
  if (visible.length > 0)
    parts.push(`Use "${pathOf(command)} <command> --help" for more information about a given command.`);
  parts.push('Use "kubectl options" for a list of global command-line options (applies to all commands).\n');
  return parts.join('\n');
}

export function formatCommands(commands: readonly Pick<CommandSpec, 'name' | 'short'>[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return commands.map(({ name, short }) => `  ${name.padEnd(width)}   ${short}\n`).join('');
}

export function formatFlags(flags: readonly FlagSpec[]): string {
  return [...flags]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((flag) => {
      const names = flag.shorthand ? `-${flag.shorthand}, --${flag.name}` : `--${flag.name}`;
      return `    ${names}=${formatDefault(flag)}:\n\t${flag.description}\n`;
    })
    .join('\n');
}

function formatDefault({ type, defaultValue }: FlagSpec): string {
  if (type === 'string') return `'${defaultValue}'`;
  return type === 'stringArray' || type === 'stringSlice' || type === 'stringToString'
    ? `[${defaultValue}]`
    : defaultValue;
}

/** `kubectl create secret` from `kubectl create secret (docker-registry | …) [options]`. */
export function pathOf(command: CommandSpec): string {
  const words = command.usage.split(' ');
  const at = words.indexOf(command.name);
  return words.slice(0, at < 0 ? 1 : at + 1).join(' ');
}
