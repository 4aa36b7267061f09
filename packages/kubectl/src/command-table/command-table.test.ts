import { expect, test } from 'vitest';
import type { CommandSpec } from '../command/command-spec.js';
import { parseFlagLines } from '../command/flag-spec.js';
import { formatHelp } from '../command/format-help.js';
import { commandEntries } from './command-entries.js';

test.each(commandEntries)('$name has readable flags and help', async ({ name, load }) => {
  const { command } = await load();
  expect(command.name).toBe(name);
  const check = (spec: CommandSpec): void => {
    const flags = [...(spec.flags ?? []), ...(spec.hiddenFlags ?? [])].flatMap(parseFlagLines);
    expect(new Set(flags.map((flag) => flag.name)).size).toBe(flags.length);
    expect(formatHelp(spec)).toContain(spec.usage);
    for (const sub of spec.subcommands ?? []) check(sub);
  };
  check(command);
});
