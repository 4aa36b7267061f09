import { isIP } from 'node:net';
import { formatDuration, parseDuration } from '@coracle/apimachinery';
import type { Address } from '@coracle/cluster';
import { InvalidArgumentError, Option } from 'commander';

export function parseAddress(text: string): Address {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535)
    throw new InvalidArgumentError('it must be HOST:PORT, such as 127.0.0.1:6443 or [::1]:6443');
  return { host: match[1] ?? (match[2] || '0.0.0.0'), port };
}

export function parseList(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/** For a flag that may be repeated. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

export function parseCount(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('it must be a whole number');
  return Number(text);
}

export function parsePort(text: string): number {
  const port = parseCount(text);
  if (port > 65_535) throw new InvalidArgumentError('it must be between 0 and 65535');
  return port;
}

export function parseIp(text: string): string {
  if (isIP(text) === 0) throw new InvalidArgumentError(`failed to parse IP: ${JSON.stringify(text)}`);
  return text;
}

/** As Go spells them. */
const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((word) => [word, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((word) => [word, false] as const),
]);

export function parseBoolean(text: string): boolean {
  const value = booleans.get(text);
  if (value === undefined) throw new InvalidArgumentError('it must be true or false');
  return value;
}

/** A flag that is true or false. As in Go, its name alone means true. */
export function booleanFlag(name: string, text = '', usual = true): Option {
  return new Option(`--${name} [bool]`, text).argParser(parseBoolean).default(usual);
}

/** Milliseconds, from a duration as Go writes it. */
export function parseTimespan(text: string): number {
  const span = parseDuration(text);
  if (span === undefined || span < 0) throw new InvalidArgumentError('it must be a duration, such as 90s or 1m30s');
  return span;
}

/** A flag that takes a duration, whose default is shown as one. */
export function durationFlag(name: string, text: string, defaultMs: number): Option {
  return new Option(`--${name} <duration>`, text)
    .argParser(parseTimespan)
    .default(defaultMs, formatDuration(defaultMs));
}

export function parseSwitches(list: string): Record<string, boolean> {
  return Object.fromEntries(
    parseList(list).map((one) => {
      const [name = '', text = 'true'] = one.split('=');
      const value = booleans.get(text);
      if (value === undefined) throw new InvalidArgumentError(`${one}: true or false`);
      return [name, value];
    }),
  );
}
