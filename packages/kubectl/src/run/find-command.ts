import type { CommandSpec } from '../command/command-spec.js';
import { type FlagSpec, parseFlagLines } from '../command/flag-spec.js';
import { plainPlaces, plainWords } from '../command/plain-words.js';
import { commandEntries } from '../command-table/command-entries.js';
import { globalFlags } from '../command-table/global-flags.js';

/** The command of the arguments, and the arguments that remain for it. */
export interface FoundCommand {
  /** Absent for `kubectl` alone. */
  readonly command?: CommandSpec;
  readonly words: readonly string[];
  /** The arguments without flags, for unknown commands. */
  readonly rest: readonly string[];
}

/** Descends the tree of commands as far as the arguments lead. Flags may be anywhere. */
export async function findCommand(words: readonly string[]): Promise<FoundCommand> {
  const globals = parseFlagLines(globalFlags);
  const [name] = plainWords(words, globals);
  const entry = commandEntries.find((one) => one.name === name);
  if (!entry || name === undefined) return { words, rest: plainWords(words, globals) };
  let command = (await entry.load()).command;
  let left = without(words, name, globals);
  for (;;) {
    const flags = [...globals, ...(command.flags ?? []).flatMap(parseFlagLines)];
    const [next] = plainWords(left, flags);
    const sub = command.subcommands?.find((one) => one.name === next || one.aliases?.includes(next ?? ''));
    if (!sub || next === undefined) return { command, words: left, rest: plainWords(left, flags) };
    command = sub;
    left = without(left, next, flags);
  }
}

/** The arguments without the first one that names the command. */
function without(words: readonly string[], name: string, flags: readonly FlagSpec[]): string[] {
  const at = plainPlaces(words, flags).find((i) => words[i] === name);
  return at === undefined ? [...words] : [...words.slice(0, at), ...words.slice(at + 1)];
}
