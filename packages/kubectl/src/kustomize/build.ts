import { CommandError } from '../command/command-error.js';
import { messageOf } from '../command/format-error.js';
import type { Host } from '../host.js';
import { resolvePath } from '../paths.js';
import { contentHash } from '../resources/name-hash.js';
import { filesOf } from '../resources/read-manifests.js';
import { type Fields, recordAt, recordsAt, textAt, textsAt } from '../values.js';
import { runGenerators } from './generators.js';
import { type KustomizationFolder, loadFolder, readObjects } from './loader.js';
import { fixNameReferences } from './name-references.js';
import { orderResources } from './order.js';
import { applyPatches } from './patches.js';
import { applyReplacements } from './replacements.js';
import { idText, isSame, type KustomizeResource, nameOf, newResource, rememberName, rename } from './resource.js';
import { addAffixes, addAnnotations, addLabels, setImages, setNamespace, setReplicas } from './transformers.js';
import { resolveVariables } from './variables.js';

export interface BuildOptions {
  /** Files of a kustomization must be in or below its directory. */
  readonly restricted?: boolean;
}

/** Builds the objects of a kustomization. */
export async function buildKustomization(host: Host, path: string, options: BuildOptions = {}): Promise<Fields[]> {
  if (isRemote(path)) throw remoteRefused(path);
  const folder = await loadFolder(host, path);
  const build = new Build(host, options.restricted ?? true);
  const resources: KustomizeResource[] = [];
  await build.accumulate(resources, folder, []);
  for (const resource of resources) {
    if (!resource.needsHash) continue;
    rememberName(resource);
    const hash = await contentHash({ ...resource.object, metadata: { name: '' } });
    rename(resource, `${nameOf(resource.object)}-${hash}`);
  }
  fixNameReferences(resources);
  resolveVariables(resources, build.variables);
  return orderResources(resources, folder.config).map(({ object }) => object);
}

function isRemote(path: string): boolean {
  return /^(?:https?|git|ssh):\/\/|^git@|^github\.com[/:]|\?ref=/.test(path);
}

function remoteRefused(path: string): CommandError {
  return new CommandError(`remote resource ${JSON.stringify(path)} is refused: download it and name its directory`);
}

/** One build: the layers of a kustomization from below. */
class Build {
  readonly #host: Host;
  readonly #restricted: boolean;
  readonly variables: Fields[] = [];

  constructor(host: Host, restricted: boolean) {
    this.#host = host;
    this.#restricted = restricted;
  }

  /** Adds what a directory's kustomization makes; a component also changes what is there. */
  async accumulate(
    resources: KustomizeResource[],
    folder: KustomizationFolder,
    above: readonly string[],
  ): Promise<void> {
    const { config, path } = folder;
    if (above.includes(path))
      throw new CommandError(`cycle detected: candidate root '${path}' contains visited root '${above.at(-1) ?? ''}'`);
    const trail = [...above, path];
    this.#warn(config);
    if (recordsAt(config, 'helmCharts').length > 0) throw new CommandError('must specify --enable-helm');
    for (const field of ['generators', 'transformers', 'validators'])
      if (textsAt(config, field).length > 0)
        throw new CommandError(`${field} of a kustomization are not supported: ${textsAt(config, field).join(', ')}`);
    for (const entry of [...textsAt(config, 'resources'), ...textsAt(config, 'bases')])
      await this.#addResource(resources, entry, { folder, trail });
    for (const entry of textsAt(config, 'components')) await this.#addComponent(resources, entry, { folder, trail });
    this.variables.push(...recordsAt(config, 'vars'));
    const context = { host: this.#host, folder: path, restricted: this.#restricted };
    await runGenerators(resources, config, context);
    await applyPatches(resources, config, context);
    setNamespace(resources, textAt(config, 'namespace'));
    addAffixes(resources, textAt(config, 'namePrefix'), textAt(config, 'nameSuffix'));
    addLabels(resources, config);
    addAnnotations(resources, config);
    setReplicas(resources, config);
    setImages(resources, config);
    await applyReplacements(resources, config, context);
  }

  async #addResource(
    resources: KustomizeResource[],
    entry: string,
    at: { folder: KustomizationFolder; trail: readonly string[] },
  ): Promise<void> {
    if (isRemote(entry)) throw remoteRefused(entry);
    const absolute = resolvePath(at.folder.path, entry);
    const isFolder = await filesOf(this.#host)
      .stat(absolute)
      .then(({ kind }) => kind === 'directory')
      .catch(() => false);
    if (!isFolder) return this.#addFile(resources, entry, at.folder);
    const below: KustomizeResource[] = [];
    await this.accumulate(below, await loadFolder(this.#host, entry, at.folder.path), at.trail);
    for (const one of below) this.#add(resources, one);
  }

  async #addFile(resources: KustomizeResource[], entry: string, folder: KustomizationFolder): Promise<void> {
    const objects = await readObjects(this.#host, folder.path, entry, this.#restricted).catch((error: unknown) => {
      const absolute = resolvePath(folder.path, entry);
      const problem = messageOf(error);
      throw new CommandError(
        problem.startsWith('evalsymlink')
          ? `accumulating resources: accumulation err='accumulating resources from '${entry}': ${problem}': must build at directory: not a valid directory: evalsymlink failure on '${absolute}' : lstat ${absolute}: no such file or directory`
          : `accumulating resources: accumulation err='accumulating resources from '${entry}': ${problem}'`,
      );
    });
    for (const object of objects)
      this.#add(
        resources,
        newResource(
          object,
          recordAt(object, 'metadata', 'annotations')['kustomize.config.k8s.io/needs-hash'] === 'true',
        ),
      );
  }

  async #addComponent(
    resources: KustomizeResource[],
    entry: string,
    at: { folder: KustomizationFolder; trail: readonly string[] },
  ): Promise<void> {
    if (isRemote(entry)) throw remoteRefused(entry);
    const folder = await loadFolder(this.#host, entry, at.folder.path);
    const kind = textAt(folder.config, 'kind');
    if (kind !== 'Component')
      throw new CommandError(
        `accumulating components: accumulateDirectory: "expected kind 'Component' for path '${folder.path}' but got '${kind || 'Kustomization'}'"`,
      );
    await this.accumulate(resources, folder, at.trail);
  }

  #add(resources: KustomizeResource[], one: KustomizeResource): void {
    const twin = resources.find((other) => isSame(other, one.object) && nameOf(other.object) === nameOf(one.object));
    if (twin)
      throw new CommandError(
        `accumulating resources: may not add resource with an already registered id: ${idText(one.object)}`,
      );
    resources.push(one);
  }

  #warn(config: Fields): void {
    const instead: Readonly<Record<string, string>> = {
      commonLabels: 'labels',
      bases: 'resources',
      patchesStrategicMerge: 'patches',
      patchesJson6902: 'patches',
      vars: 'replacements',
      imageTags: 'images',
    };
    for (const [old, now] of Object.entries(instead))
      if (config[old] !== undefined)
        this.#host.stderr.write(
          `# Warning: '${old}' is deprecated. Please use '${now}' instead. Run 'kustomize edit fix' to update your Kustomization automatically.\n`,
        );
  }
}
