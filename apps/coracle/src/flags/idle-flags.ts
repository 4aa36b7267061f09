import { type Command, InvalidArgumentError, Option } from 'commander';

/** Flags of logging and metrics that all components of upstream take, and that have no effect here. */
export const idleProcessFlags: readonly string[] = [
  ...['log-flush-frequency', 'log-json-info-buffer-size', 'log-json-split-stream', 'log-text-info-buffer-size'],
  ...['log-text-split-stream', 'logging-format', 'v', 'vmodule'],
];

/** The same of components that serve metrics by flags of their own. */
export const idleServingFlags: readonly string[] = [
  ...['allow-metric-labels', 'allow-metric-labels-manifest', 'contention-profiling', 'disabled-metrics'],
  ...['emulated-version', 'http2-max-streams-per-connection', 'permit-address-sharing', 'permit-port-sharing'],
  ...['show-hidden-metrics-for-version'],
];

/** Flags that would change what a component does, and why they are refused. */
export type RefusedFlags = Readonly<Record<string, string>>;

/** HTTP/2 is switched off, and curves are restricted, for security: who does so must not assume that it works. */
export const refusedServingFlags: RefusedFlags = {
  'disable-http2-serving': 'HTTP/2 cannot be disabled',
  'tls-curve-preferences': 'the curves of TLS cannot be chosen; the defaults of Node.js are used',
};

/**
 * Adds flags of upstream that have no effect here, but for those that the command has. Returns the names of the added
 * flags, for `flagsWithoutEffect`.
 */
export function addIdleFlags(command: Command, names: readonly string[]): readonly string[] {
  const added = names.filter((name) => !hasFlag(command, name));
  for (const name of added)
    command.addOption(new Option(name === 'v' ? '-v, --v [value]' : `--${name} [value]`).hideHelp());
  return added;
}

/** Adds flags of this or earlier releases that are not supported: they are an error, with the reason. */
export function addRefusedFlags(command: Command, flags: RefusedFlags): void {
  for (const [name, reason] of Object.entries(flags))
    command.addOption(new Option(`--${name} [value]`).argParser(() => refuse(reason)).hideHelp());
}

/** Those that were given, as they are written, in order of their names. */
export function flagsWithoutEffect(flags: object, names: readonly string[]): string[] {
  const set = names.filter((name) => flagValue(flags, name) !== undefined);
  return set.map((name) => `--${name}`).sort();
}

/** Of a flag by its name on the command line. */
export function flagValue(flags: object, name: string): unknown {
  return Reflect.get(
    flags,
    name.replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase()),
  );
}

/** Prints which of what was given has no effect. */
export function warnOfIdle(idle: readonly string[]): void {
  if (idle.length > 0) process.stderr.write(`coracle: without effect here: ${idle.join(', ')}\n`);
}

function hasFlag(command: Command, name: string): boolean {
  return command.options.some(({ long }) => long === `--${name}`);
}

function refuse(reason: string): never {
  throw new InvalidArgumentError(reason);
}
