import { parseYamlDocuments } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import { CommandError } from '../command/command-error.js';
import { messageOf } from '../command/format-error.js';
import { resolvePath } from '../paths.js';
import { filesOf } from '../resources/read-manifests.js';
import { type Fields, isRecord, textAt, textsAt } from '../values.js';
import type { BuildContext } from './build-context.js';
import { builtinGenerators, builtinTransformers } from './builtin-plugins.js';
import { readObjects } from './loader.js';
import { runProgram } from './program-plugins.js';
import { type KustomizeResource, newResource } from './resource.js';

/** How a kustomization of a folder is built: plugins may be configured by one. */
export type BuildFolder = (path: string, from: string) => Promise<KustomizeResource[]>;

interface PluginRun extends BuildContext {
  readonly config: Fields;
  readonly buildFolder: BuildFolder;
}

/** `generators`: each adds objects. */
export async function runGeneratorPlugins(resources: KustomizeResource[], run: PluginRun): Promise<void> {
  for (const plugin of await configurationsOf('generators', run)) {
    const builtin = builtinOf(plugin, builtinGenerators);
    if (builtin) await builtin(resources, plugin, run);
    else resources.push(...(await runProgram(plugin, [], run)).map((object) => newResource(object)));
  }
}

/** `transformers`: each may change all objects. */
export async function runTransformerPlugins(resources: KustomizeResource[], run: PluginRun): Promise<void> {
  for (const plugin of await configurationsOf('transformers', run)) await transform(resources, plugin, run);
}

/** `validators`: transformers that change nothing. They reject by failing. */
export async function runValidatorPlugins(resources: readonly KustomizeResource[], run: PluginRun): Promise<void> {
  for (const plugin of await configurationsOf('validators', run)) {
    const copies = resources.map((one) => ({ ...one, object: structuredClone(one.object), names: [...one.names] }));
    await transform(copies, plugin, run);
    const [before, after] = [resources.map(({ object }) => object), copies.map(({ object }) => object)];
    if (!deepEqual(before, after))
      throw new CommandError(`validator ${textAt(plugin, 'kind')} shouldn't modify the resource map`);
  }
}

async function transform(resources: KustomizeResource[], plugin: Fields, run: PluginRun): Promise<void> {
  const builtin = builtinOf(plugin, builtinTransformers);
  if (builtin) return builtin(resources, plugin, run);
  const input = resources.map(({ object }) => object);
  const output = await runProgram(plugin, input, run);
  const changed = output.map((object, i) => {
    const same =
      resources.find((one) => sameId(one.object, object)) ?? (output.length === input.length && resources[i]);
    return same ? { ...same, object } : newResource(object);
  });
  resources.splice(0, resources.length, ...changed);
}

function sameId(one: Fields, other: Fields): boolean {
  return (
    one['apiVersion'] === other['apiVersion'] &&
    one['kind'] === other['kind'] &&
    textAt(one, 'metadata', 'name') === textAt(other, 'metadata', 'name') &&
    textAt(one, 'metadata', 'namespace') === textAt(other, 'metadata', 'namespace')
  );
}

function builtinOf<T>(plugin: Fields, table: Readonly<Record<string, T>>): T | undefined {
  if (textAt(plugin, 'apiVersion') !== 'builtin') return undefined;
  const kind = textAt(plugin, 'kind');
  if (!Object.hasOwn(table, kind)) throw new CommandError(`unable to load builtin ${kind}.builtin.[noGrp]`);
  return table[kind];
}

/** The configurations that a field names: text in place, a file, or a folder with a kustomization. */
async function configurationsOf(field: string, run: PluginRun): Promise<Fields[]> {
  const found: Fields[] = [];
  for (const entry of textsAt(run.config, field)) {
    try {
      found.push(...(await configurationsIn(entry, run)));
    } catch (error) {
      throw new CommandError(`loading ${field}: ${messageOf(error)}`);
    }
  }
  return found;
}

async function configurationsIn(entry: string, run: PluginRun): Promise<Fields[]> {
  if (entry.includes('\n') || /^\s*\{/.test(entry))
    return parseYamlDocuments(entry)
      .map(({ value }) => value)
      .filter(isRecord);
  const isFolder = await filesOf(run.host)
    .stat(resolvePath(run.folder, entry))
    .then(({ kind }) => kind === 'directory')
    .catch(() => false);
  if (isFolder) return (await run.buildFolder(entry, run.folder)).map(({ object }) => object);
  return readObjects(run.host, run.folder, entry, run.restricted);
}
