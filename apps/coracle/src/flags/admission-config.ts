import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseYamlDocuments } from '@coracle/apimachinery';

interface PluginSection {
  readonly name?: string;
  /** A file with the configuration, relative to the one that names it. */
  readonly path?: string;
  readonly configuration?: object;
}

/** Plugin configurations of `--admission-control-config-file`, by the names of the plugins. */
export async function readAdmissionConfig(file: string): Promise<Record<string, object>> {
  const { kind, plugins = [] } = (await readYaml(file)) as { kind?: string; plugins?: readonly PluginSection[] };
  if (kind !== 'AdmissionConfiguration') throw new Error(`${file} contains no AdmissionConfiguration`);
  const config: Record<string, object> = {};
  for (const { name = '', path, configuration } of plugins) {
    const own = path ? await readYaml(resolve(dirname(file), path)) : configuration;
    if (own) config[name] = own;
  }
  return config;
}

async function readYaml(file: string): Promise<object> {
  const value = parseYamlDocuments(await readFile(file))[0]?.value;
  if (typeof value !== 'object' || value === null) throw new Error(`${file} contains no object`);
  return value;
}
