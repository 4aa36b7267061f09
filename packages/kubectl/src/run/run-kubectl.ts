import type { Client } from '@coracle/client';
import { CommandError, ExitCode } from '../command/command-error.js';
import type { CommandSpec } from '../command/command-spec.js';
import { usageError } from '../command/context.js';
import { parseFlagLines } from '../command/flag-spec.js';
import { formatError } from '../command/format-error.js';
import { formatHelp, pathOf } from '../command/format-help.js';
import { parseArguments } from '../command/parse-arguments.js';
import { suggestionsFor } from '../command/suggestions.js';
import { commandEntries } from '../command-table/command-entries.js';
import { globalFlags } from '../command-table/global-flags.js';
import type { CredentialPluginPolicy } from '../factory/credential-plugins.js';
import { Factory } from '../factory.js';
import type { Host } from '../host.js';
import { applyPreferences } from '../kuberc/apply-preferences.js';
import { findCommand } from './find-command.js';
import { runPlugin } from './plugins.js';
import { profiled } from './profiled.js';
import { rootHelp } from './root-help.js';

export interface RunOptions {
  /** A client to use instead of the one that the kubeconfig means. */
  readonly client?: Client;
}

/** Runs a kubectl command line and returns its exit code. All output goes to the host's streams. */
export async function runKubectl(words: readonly string[], host: Host, options: RunOptions = {}): Promise<number> {
  try {
    await dispatch(words, host, options);
    return 0;
  } catch (error) {
    if (error instanceof ExitCode) return error.exitCode;
    host.stderr.write(`${formatError(error)}\n`);
    return error instanceof CommandError ? error.exitCode : 1;
  }
}

async function dispatch(typed: readonly string[], host: Host, options: RunOptions): Promise<void> {
  if (typed[0] === '__complete' || typed[0] === '__completeNoDesc') {
    const { complete } = await import('../completion/complete.js');
    return complete(typed, host, options.client && { client: options.client });
  }
  const { words, defaults, credentialPlugins } = await applyPreferences(typed, host);
  if (words[0] === 'help') return help(words.slice(1), host);
  const { command, words: left, rest } = await findCommand(words);
  if (!command) return withoutCommand(words, rest, host);
  if (command.name === 'create' && rest.length > 0 && (await runPlugin(['create', ...rest], words, host))) return;
  await runCommand(command, left, {
    host,
    defaults,
    rest,
    ...options,
    ...(credentialPlugins && { credentialPlugins }),
  });
}

async function help(words: readonly string[], host: Host): Promise<void> {
  const { command } = await findCommand(words);
  if (command) host.stdout.write(formatHelp(command));
  else {
    if (words.length === 0) return host.stdout.write(rootHelp());
    host.stderr.write(`Unknown help topic [${words.map((word) => `\`${word}\``).join(' ')}]\n`);
    host.stderr.write(rootHelp());
  }
}

/** `kubectl` alone, a plugin, or an unknown command. */
async function withoutCommand(words: readonly string[], rest: readonly string[], host: Host): Promise<void> {
  const [name] = rest;
  if (name !== undefined) {
    if (await runPlugin(rest, words, host)) return;
    const suggestions = suggestionsFor(
      name,
      commandEntries.filter(({ hidden }) => !hidden).map((entry) => entry.name),
    );
    const hint =
      suggestions.length > 0 ? `\n\nDid you mean this?\n${suggestions.map((one) => `\t${one}`).join('\n')}\n` : '';
    throw new CommandError(`unknown command ${JSON.stringify(name)} for "kubectl"${hint}`);
  }
  withUsageHint('kubectl', () => parseArguments(words, parseFlagLines(globalFlags)));
  host.stdout.write(rootHelp());
}

interface CommandRun extends RunOptions {
  readonly host: Host;
  readonly defaults: readonly (readonly [string, string])[];
  readonly rest: readonly string[];
  readonly credentialPlugins?: CredentialPluginPolicy;
}

async function runCommand(command: CommandSpec, words: readonly string[], run: CommandRun): Promise<void> {
  const { host, client, rest } = run;
  const flagSpecs = [...flagLinesOf(command, host).flatMap(parseFlagLines), ...parseFlagLines(globalFlags)];
  const unique = flagSpecs.filter((spec, i) => flagSpecs.findIndex(({ name }) => name === spec.name) === i);
  const parsed = withUsageHint(pathOf(command), () => parseArguments(words, unique));
  if (parsed.wantsHelp) {
    host.stdout.write(formatHelp(command));
    return;
  }
  for (const [name, text] of Object.entries(command.deprecatedFlags ?? {}))
    if (parsed.flags.changed(name)) host.stderr.write(`Flag --${name} has been deprecated, ${text}\n`);
  for (const [name, value] of run.defaults) parsed.flags.setDefault(name, value);
  if (!command.run) return onlySubcommands(command, rest, host);
  const preferred = new Set(run.defaults.map(([name]) => name));
  const missing = (command.requiredFlags ?? []).filter((name) => !parsed.flags.changed(name) && !preferred.has(name));
  const { run: execute } = await command.run();
  const { credentialPlugins } = run;
  using factory = new Factory(host, parsed.flags, {
    ...(client && { client }),
    ...(credentialPlugins && { credentialPlugins }),
  });
  const context = { host, factory, flags: parsed.flags, args: parsed.args, dash: parsed.dash, command };
  if (missing.length > 0)
    throw new CommandError(`required flag(s) ${missing.map((name) => JSON.stringify(name)).join(', ')} not set`);
  await profiled(host, parsed.flags, () => execute(context));
  if (parsed.flags.bool('warnings-as-errors') && factory.warningCount > 0)
    throw new CommandError(`${factory.warningCount} warning${factory.warningCount === 1 ? '' : 's'} received`);
}

function flagLinesOf({ flags = [], hiddenFlags = [], flagsByVariable = {} }: CommandSpec, host: Host): string[] {
  const enabled = Object.entries(flagsByVariable).filter(([variable]) => host.env[variable] === 'true');
  return [...flags, ...hiddenFlags, ...enabled.map(([, lines]) => lines)];
}

/** A command that only holds others says what it holds. */
function onlySubcommands(command: CommandSpec, rest: readonly string[], host: Host): void {
  if (command.name === 'certificate') {
    host.stdout.write(formatHelp(command));
    return;
  }
  if (rest.length > 0) throw usageError({ command }, `unknown command ${JSON.stringify(rest.join(' '))}`);
  const output = command.name === 'rollout' ? host.stdout : host.stderr;
  output.write(formatHelp(command));
  throw new ExitCode(1);
}

function withUsageHint<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(`${error.message}\nSee '${path} --help' for usage.`);
  }
}
