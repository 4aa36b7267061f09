import { parseDuration } from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';

/** A timeout in milliseconds: whole seconds, or a number with its unit. */
export function parseTimeout(text: string): number {
  if (text === '' || text === '0') return 0;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const millis = parseDuration(text);
  if (millis !== undefined) return millis;
  throw new CommandError(
    'Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)',
  );
}
