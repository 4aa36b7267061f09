import { parseFlagLines } from '../command/flag-spec.js';
import { FlagValues } from '../command/flag-values.js';
import { parseArguments } from '../command/parse-arguments.js';
import { commandEntries } from '../command-table/command-entries.js';
import { globalFlags } from '../command-table/global-flags.js';
import { Factory } from '../factory.js';
import type { Host } from '../host.js';
import { collectionPath, RequestHelper } from '../resources/request-helper.js';
import { resolveType } from '../resources/resource-arguments.js';
import { findCommand } from '../run/find-command.js';
import { recordsAt, textAt } from '../values.js';

/** Directives for the shell. */
const noFiles = 4;
const noSpace = 2;

interface Completions {
  readonly words: readonly string[];
  readonly directive: number;
}

/** `kubectl __complete WORD…`: the candidates for the last word, which is incomplete. */
export async function complete(typed: readonly string[], host: Host): Promise<void> {
  const words = typed.slice(1);
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  let result: Completions = { words: [], directive: noFiles };
  try {
    result = await completionsFor(before, current, host);
  } catch {
    // Completion prints no messages.
  }
  const withoutDescriptions = typed[0] === '__completeNoDesc';
  const lines = result.words.map((word) => (withoutDescriptions ? (word.split('\t', 1)[0] ?? '') : word));
  host.stdout.write(`${lines.map((line) => `${line}\n`).join('')}:${result.directive}\n`);
}

async function completionsFor(before: readonly string[], current: string, host: Host): Promise<Completions> {
  const { command, words, rest } = await findCommand(before);
  const flags = [...(command?.flags ?? []).flatMap(parseFlagLines), ...parseFlagLines(globalFlags)];
  if (current.startsWith('-')) {
    const names = flags.map(({ name, description }) => `--${name}\t${description}`);
    return { words: names.filter((name) => name.startsWith(current)), directive: noFiles };
  }
  const value = await flagValues(before, { current, host });
  if (value) return value;
  if (!command) return firstWords(current);
  if (command.subcommands?.length && rest.length === 0) {
    const names = command.subcommands.map(({ name, short }) => `${name}\t${short}`);
    if (!command.run || names.some((name) => name.startsWith(current)))
      return { words: names.filter((name) => name.startsWith(current)), directive: noFiles };
  }
  const parsed = parseArguments(words, flags);
  return resources(command.name, parsed.args, { current, factory: new Factory(host, parsed.flags) });
}

function firstWords(current: string): Completions {
  const names = commandEntries.filter(({ hidden }) => !hidden).map(({ name, short }) => `${name}\t${short}`);
  return { words: names.filter((name) => name.startsWith(current)), directive: noFiles };
}

/** The value of the flag before the word. */
async function flagValues(
  before: readonly string[],
  { current, host }: { current: string; host: Host },
): Promise<Completions | undefined> {
  const flag = before.at(-1) ?? '';
  const factory = new Factory(host, new FlagValues(parseFlagLines(globalFlags)));
  const fitting = (names: readonly string[]) => ({
    words: names.filter((name) => name.startsWith(current)),
    directive: noFiles,
  });
  const config = async () => (await factory.kubeconfig()).merged();
  if (flag === '-n' || flag === '--namespace') return fitting(await namesOf(factory, 'namespaces'));
  if (flag === '--context') return fitting(((await config()).contexts ?? []).map(({ name }) => name));
  if (flag === '--cluster') return fitting(((await config()).clusters ?? []).map(({ name }) => name));
  if (flag === '--user') return fitting(((await config()).users ?? []).map(({ name }) => name));
  if (flag === '-o' || flag === '--output')
    return fitting(['json', 'yaml', 'kyaml', 'name', 'wide', 'go-template', 'jsonpath', 'custom-columns']);
  return undefined;
}

const podCommands = ['logs', 'exec', 'attach', 'port-forward', 'debug', 'cp'];
const nodeCommands = ['cordon', 'uncordon', 'drain'];
const fileCommands = ['apply', 'create', 'kustomize', 'diff', 'completion', 'version', 'options'];

interface ResourceWords {
  readonly current: string;
  readonly factory: Factory;
}

async function resources(
  command: string,
  args: readonly string[],
  { current, factory }: ResourceWords,
): Promise<Completions> {
  const fitting = (names: readonly string[], directive = noFiles) => ({
    words: names.filter((name) => name.startsWith(current)),
    directive,
  });
  if (fileCommands.includes(command)) return { words: [], directive: 0 };
  if (nodeCommands.includes(command)) return fitting(await namesOf(factory, 'nodes'));
  if (podCommands.includes(command) && !current.includes('/'))
    return fitting(args.length > 0 ? [] : await namesOf(factory, 'pods'));
  if (command === 'use-context' || command === 'delete-context' || command === 'rename-context')
    return fitting(((await (await factory.kubeconfig()).merged()).contexts ?? []).map(({ name }) => name));
  const [type] = args;
  if (type === undefined && current.includes('/')) {
    const [kind = ''] = current.split('/');
    return fitting((await namesOf(factory, kind)).map((name) => `${kind}/${name}`));
  }
  if (type === undefined) return fitting(await typesOf(factory), noFiles | (command === 'explain' ? noSpace : 0));
  return fitting((await namesOf(factory, type)).filter((name) => !args.slice(1).includes(name)));
}

async function typesOf(factory: Factory): Promise<string[]> {
  const { lists } = await (await factory.discovery()).resources();
  const names = lists.flatMap(({ groupVersion, resources: all }) => {
    const group = groupVersion.includes('/') ? `.${groupVersion.split('/')[0]}` : '';
    return all.filter(({ name }) => !name.includes('/')).map(({ name }) => name + group);
  });
  return [...new Set(names)].sort();
}

async function namesOf(factory: Factory, type: string): Promise<string[]> {
  const mapping = await resolveType(await factory.discovery(), type);
  const { namespace } = await factory.namespace();
  const helper = new RequestHelper(await factory.client());
  const list = await helper.send('GET', collectionPath({ mapping, namespace }));
  return recordsAt(list, 'items').map((item) => textAt(item, 'metadata', 'name'));
}
