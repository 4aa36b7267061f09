import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseYamlDocuments } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import { extensionPoints, parseSchedulerConfiguration, type SchedulerPluginEntry } from '@coracle/control-plane';

/** A `KubeSchedulerConfiguration` with defaults. */
export type SchedulerFile = ReturnType<typeof parseSchedulerConfiguration>;

/** The settings of the file, or the defaults without one. */
export async function readSchedulerConfiguration(file: string | undefined): Promise<SchedulerFile> {
  if (!file)
    return parseSchedulerConfiguration({
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
    });
  try {
    return parseSchedulerConfiguration(parseYamlDocuments(await readFile(file))[0]?.value);
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/**
 * The plugins that modules export by default: one, or a list of them, each as an object or with its weight as
 * `{ plugin, weight }`.
 */
export async function loadSchedulerPlugins(files: readonly string[]): Promise<SchedulerPluginEntry[]> {
  const entries: SchedulerPluginEntry[] = [];
  for (const file of files) {
    const exported = await importDefault(file);
    const list: readonly unknown[] = Array.isArray(exported) ? exported : [exported];
    entries.push(...list.map((one) => entryOf(one, file)));
  }
  return entries;
}

async function importDefault(file: string): Promise<unknown> {
  try {
    const module: unknown = await import(pathToFileURL(resolve(file)).href);
    return isRecord(module) ? module.default : undefined;
  } catch (error) {
    // Of those of CommonJS, only the first line is the reason; the stack of `require` follows.
    const [reason] = String(error instanceof Error ? error.message : error).split('\nRequire stack:');
    throw new Error(`${file}: ${reason}`, { cause: error });
  }
}

function entryOf(exported: unknown, file: string): SchedulerPluginEntry {
  const { plugin, weight } =
    isRecord(exported) && 'plugin' in exported ? exported : { plugin: exported, weight: undefined };
  if (!isPlugin(plugin))
    throw new Error(
      `${file}: the default export must be a plugin: an object with a name and at least one of ${extensionPoints.join(', ')}`,
    );
  if (weight !== undefined && !(typeof weight === 'number' && Number.isInteger(weight) && weight > 0))
    throw new Error(`${file}: the weight of plugin ${plugin.name} must be a positive integer`);
  return { plugin, ...(weight !== undefined && { weight }) };
}

function isPlugin(value: unknown): value is SchedulerPluginEntry['plugin'] {
  return (
    isRecord(value) &&
    typeof value.name === 'string' &&
    value.name !== '' &&
    extensionPoints.some((point) => typeof value[point] === 'function')
  );
}
