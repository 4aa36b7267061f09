import { formatDuration } from '@coracle/apimachinery';
import type { Command, Option } from 'commander';
import { parseTimespan } from './flag-values.js';

/** The flags of a command as text; those without a value are omitted. */
export function flagTexts(command: Command): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    if (option.long && value !== undefined) texts[option.long.replace(/^--/, '')] = textOf(value, option);
  }
  return texts;
}

/** Lists are in brackets, as Go writes them. */
function textOf(value: unknown, { parseArg }: Option): string {
  if (parseArg === parseTimespan) return formatDuration(Number(value));
  if (Array.isArray(value)) return `[${value.map(String).join(',')}]`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
