import { parseFlagLines } from '../command/flag-spec.js';
import { FlagValues } from '../command/flag-values.js';
import { parseArguments } from '../command/parse-arguments.js';
import { commandEntries } from '../command-table/command-entries.js';
import { globalFlags } from '../command-table/global-flags.js';
import { Factory, type FactoryParts } from '../factory.js';
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
export async function complete(
  typed: readonly string[],
  host: Host,
  parts: Pick<FactoryParts, 'client'> = {},
): Promise<void> {
  const words = typed.slice(1);
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  let result: Completions = { words: [], directive: noFiles };
  try {
    result = await completionsFor(before, current, { host, parts });
  } catch {
    // Completion prints no messages.
  }
  const withoutDescriptions = typed[0] === '__completeNoDesc';
  const lines = result.words.map((word) => (withoutDescriptions ? (word.split('\t', 1)[0] ?? '') : word));
  host.stdout.write(`${lines.map((line) => `${line}\n`).join('')}:${result.directive}\n`);
}

interface Machine {
  readonly host: Host;
  readonly parts: Pick<FactoryParts, 'client'>;
}

async function completionsFor(
  before: readonly string[],
  current: string,
  { host, parts }: Machine,
): Promise<Completions> {
  const { command, words, rest } = await findCommand(before);
  const flags = [...(command?.flags ?? []).flatMap(parseFlagLines), ...parseFlagLines(globalFlags)];
  if (current.startsWith('-')) {
    const names = flags.map(({ name, description }) => `--${name}\t${description}`);
    return { words: names.filter((name) => name.startsWith(current)), directive: noFiles };
  }
  const value = await flagValues(before, { current, host, parts });
  if (value) return value;
  if (!command) return firstWords(current);
  if (command.subcommands?.length && rest.length === 0) {
    const names = command.subcommands.map(({ name, short }) => `${name}\t${short}`);
    if (!command.run || names.some((name) => name.startsWith(current)))
      return { words: names.filter((name) => name.startsWith(current)), directive: noFiles };
  }
  const parsed = parseArguments(words, flags);
  const result = await resources(command.name, parsed.args, {
    current,
    factory: new Factory(host, parsed.flags, parts),
  });
  if (current !== '') return result;
  // As cobra does, flags that the command cannot be without come first.
  const missing = (command.requiredFlags ?? []).filter((name) => !parsed.flags.changed(name));
  return { ...result, words: [...missing.map((name) => `--${name}`), ...result.words] };
}

function firstWords(current: string): Completions {
  const names = commandEntries.filter(({ hidden }) => !hidden).map(({ name, short }) => `${name}\t${short}`);
  return { words: names.filter((name) => name.startsWith(current)), directive: noFiles };
}

/** The value of the flag before the word. */
async function flagValues(
  before: readonly string[],
  { current, host, parts }: Machine & { readonly current: string },
): Promise<Completions | undefined> {
  const flag = before.at(-1) ?? '';
  const factory = new Factory(host, new FlagValues(parseFlagLines(globalFlags)), parts);
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
/** Those of them that take TYPE/NAME too. */
const podOwnerCommands = ['logs', 'exec', 'attach', 'port-forward'];
const typesWithPods = [
  ...['daemonsets', 'deployments', 'pods', 'jobs', 'replicasets', 'replicationcontrollers', 'services'],
  'statefulsets',
];
const scalable = ['deployment', 'replicaset', 'replicationcontroller', 'statefulset'];
const rolledOut = ['deployment', 'daemonset', 'statefulset'];
/** The types that a command takes, if not all. */
const typesOfCommand: Readonly<Record<string, readonly string[]>> = {
  autoscale: scalable,
  history: rolledOut,
  pause: ['deployment'],
  restart: rolledOut,
  resume: ['deployment'],
  scale: scalable,
  status: rolledOut,
  undo: rolledOut,
};
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
  if (podCommands.includes(command) && !current.includes('/')) return podWords(command, args, { current, factory });
  if (command === 'use-context' || command === 'delete-context' || command === 'rename-context')
    return fitting(((await (await factory.kubeconfig()).merged()).contexts ?? []).map(({ name }) => name));
  const [type] = args;
  if (type === undefined && current.includes('/')) {
    const [kind = ''] = current.split('/');
    return fitting((await namesOf(factory, kind)).map((name) => `${kind}/${name}`));
  }
  const ownTypes = typesOfCommand[command];
  if (type === undefined && ownTypes) return fitting(ownTypes);
  if (type === undefined) return fitting(await typesOf(factory), noFiles | (command === 'explain' ? noSpace : 0));
  return fitting((await namesOf(factory, type)).filter((name) => !args.slice(1).includes(name)));
}

/** Names of pods, and types with pods for TYPE/NAME. */
async function podWords(
  command: string,
  args: readonly string[],
  { current, factory }: ResourceWords,
): Promise<Completions> {
  if (args.length > 0) return { words: [], directive: noFiles };
  const pods = (await namesOf(factory, 'pods')).filter((name) => name.startsWith(current));
  if (!podOwnerCommands.includes(command)) return { words: pods, directive: noFiles };
  const types = typesWithPods.filter((type) => type.startsWith(current)).map((type) => `${type}/`);
  return { words: [...pods, ...types], directive: pods.length === 0 ? noFiles | noSpace : noFiles };
}

/** Those that can be read, in the order of `kubectl api-resources`. */
async function typesOf(factory: Factory): Promise<string[]> {
  const { lists } = await (await factory.discovery()).resources();
  const names = lists.flatMap(({ groupVersion, resources: all }) => {
    const group = groupVersion.includes('/') ? `.${groupVersion.split('/')[0]}` : '';
    const readable = all.filter(({ name, verbs }) => !name.includes('/') && verbs.includes('get'));
    return readable.map(({ name }) => ({ name: name + group, order: `${group} ${name}` }));
  });
  const sorted = names.sort((a, b) => (a.order < b.order ? -1 : 1));
  return [...new Set(sorted.map(({ name }) => name))];
}

async function namesOf(factory: Factory, type: string): Promise<string[]> {
  const mapping = await resolveType(await factory.discovery(), type);
  const { namespace } = await factory.namespace();
  const helper = new RequestHelper(await factory.client());
  const list = await helper.send('GET', collectionPath({ mapping, namespace }));
  return recordsAt(list, 'items').map((item) => textAt(item, 'metadata', 'name'));
}
