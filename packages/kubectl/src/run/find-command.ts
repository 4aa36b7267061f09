import type { CommandSpec } from '../command/command-spec.js';
import { type FlagSpec, parseFlagLines } from '../command/flag-spec.js';
import { commandEntries } from '../command-table/command-entries.js';
import { globalFlags } from '../command-table/global-flags.js';

/** The command that words mean, and the words that are left for it. */
export interface FoundCommand {
  /** Absent for `kubectl` by itself. */
  readonly command?: CommandSpec;
  readonly words: readonly string[];
  /** The words that are no flags, for commands that do not exist. */
  readonly rest: readonly string[];
}

/** Goes down the tree of commands as far as the words lead. Flags may stand anywhere. */
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

/** Words that are neither flags nor their values. A flag that nobody knows is taken to have a value. */
function plainWords(words: readonly string[], flags: readonly FlagSpec[]): string[] {
  const plain: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    if (word === '--') break;
    if (word.startsWith('-') && word.length > 1) i += takesNext(word, flags) ? 1 : 0;
    else if (word !== '') plain.push(word);
  }
  return plain;
}

function takesNext(word: string, flags: readonly FlagSpec[]): boolean {
  if (word.includes('=')) return false;
  if (word === '--help' || word === '-h') return false;
  if (word.startsWith('--')) {
    const flag = flags.find(({ name }) => name === word.slice(2).replaceAll('_', '-'));
    return flag?.bareValue === undefined;
  }
  return word.length === 2 && flags.find(({ shorthand }) => shorthand === word[1])?.bareValue === undefined;
}

/** The words without the first one that names the command. */
function without(words: readonly string[], name: string, flags: readonly FlagSpec[]): string[] {
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    if (word === '--') break;
    if (word.startsWith('-') && word.length > 1) i += takesNext(word, flags) ? 1 : 0;
    else if (word === name) return [...words.slice(0, i), ...words.slice(i + 1)];
  }
  return [...words];
}
