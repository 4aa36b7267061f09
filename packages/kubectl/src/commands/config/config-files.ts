import { type Kubeconfig, mergeKubeconfigs } from '@coracle/client';
import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import { directoryOf, relativePath, resolvePath } from '../../paths.js';
import { filesOf } from '../../resources/read-manifests.js';
import { type Fields, formatYaml, isRecord } from '../../values.js';
import { entriesOf, hasEntry, type NamedEntry, type Section, withEntry, withoutEntry } from './entries.js';

export type { Section };

const pathFields = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'];

/** The kubeconfig files of a command line, and changes to them: each entry is changed in the file that it came from. */
export class ConfigFiles {
  readonly #context: Context;
  readonly paths: readonly string[];
  readonly #configs: Kubeconfig[];
  readonly #changed = new Set<number>();

  private constructor(context: Context, paths: readonly string[], configs: Kubeconfig[]) {
    this.#context = context;
    this.paths = paths;
    this.#configs = configs;
  }

  static async load(context: Context): Promise<ConfigFiles> {
    const loader = await context.factory.kubeconfig();
    const paths = loader.paths();
    const configs = await Promise.all(paths.map((path) => loader.file(path)));
    return new ConfigFiles(context, paths, configs);
  }

  get merged(): Kubeconfig {
    return mergeKubeconfigs(this.#configs);
  }

  get current(): string {
    return this.merged['current-context'] ?? '';
  }

  entries(section: Section): NamedEntry[] {
    return entriesOf(this.merged, section);
  }

  entry(section: Section, name: string): Fields | undefined {
    return this.entries(section).find((one) => one.name === name)?.entry;
  }

  /** The file where new entries go: the first that exists, else the last one named. */
  get defaultPath(): string {
    const existing = this.#configs.findIndex((config) => Object.keys(config).length > 0);
    return this.paths[existing < 0 ? this.paths.length - 1 : existing] ?? '';
  }

  set(section: Section, name: string, entry: Fields): void {
    const index = this.#indexOf(section, name);
    const named = { name, entry: this.#relative(entry, index) };
    this.#change(index, (config) => withEntry(config, section, named));
  }

  /** Removes an entry; false if there is none. */
  remove(section: Section, name: string): boolean {
    let found = false;
    this.#configs.forEach((config, index) => {
      if (!hasEntry(config, section, name)) return;
      found = true;
      this.#change(index, () => withoutEntry(config, section, name));
    });
    return found;
  }

  setCurrent(name: string): void {
    const defining = this.#configs.findIndex((config) => config['current-context']);
    const index = defining < 0 ? Math.max(0, this.paths.indexOf(this.defaultPath)) : defining;
    this.#change(index, (config) => ({ ...config, 'current-context': name }));
  }

  async save(): Promise<void> {
    const files = filesOf(this.#context.host);
    for (const index of this.#changed) {
      const path = this.paths[index];
      if (!path) throw new CommandError('no kubeconfig file to write to');
      await files.makeDirectory(directoryOf(path));
      await files.write(path, formatYaml(writtenForm(this.#configs[index] ?? {})), 0o600);
    }
  }

  #indexOf(section: Section, name: string): number {
    const origin = this.#configs.findIndex((config) => hasEntry(config, section, name));
    return origin < 0 ? Math.max(0, this.paths.indexOf(this.defaultPath)) : origin;
  }

  #change(index: number, change: (config: Kubeconfig) => Kubeconfig): void {
    this.#configs[index] = change(this.#configs[index] ?? {});
    this.#changed.add(index);
  }

  /** Files beside a kubeconfig are named as seen from it. */
  #relative(entry: Fields, index: number): Fields {
    const working = this.#context.host.files?.workingDirectory ?? '/';
    const folder = resolvePath(working, directoryOf(this.paths[index] ?? ''));
    const changed = { ...entry };
    for (const field of pathFields) {
      const path = changed[field];
      if (typeof path !== 'string' || !path.startsWith('/')) continue;
      const relative = relativePath(folder, path);
      changed[field] = relative.startsWith('../../') ? path : relative;
    }
    return changed;
  }
}

function writtenForm(config: Kubeconfig): Fields {
  const form: Fields = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: null,
    contexts: null,
    users: null,
    'current-context': '',
  };
  for (const [key, value] of Object.entries(config)) {
    if (key === 'preferences' && isRecord(value) && Object.keys(value).length === 0) continue;
    form[key] = Array.isArray(value) && value.length === 0 ? null : value;
  }
  return form;
}
