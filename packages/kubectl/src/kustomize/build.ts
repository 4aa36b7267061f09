import { CommandError } from '../command/command-error.js';
import { messageOf } from '../command/format-error.js';
import type { Host } from '../host.js';
import { resolvePath } from '../paths.js';
import { filesOf, readManifestFiles } from '../resources/read-manifests.js';
import { type Fields, recordAt, recordsAt, textAt, textsAt } from '../values.js';
import type { BuildContext, PluginOptions } from './build-context.js';
import { addBuildMetadata } from './build-metadata.js';
import { type Configuration, type NameReference, readConfigurations } from './configurations.js';
import { appendHashes } from './content-hashes.js';
import { runGenerators } from './generators.js';
import { inflateChart } from './helm.js';
import { type KustomizationFolder, loadFolder, objectsIn, readObjects } from './loader.js';
import { fixNameReferences } from './name-references.js';
import { orderResources } from './order.js';
import { applyPatches } from './patches.js';
import { runGeneratorPlugins, runTransformerPlugins, runValidatorPlugins } from './plugins.js';
import { applyReplacements } from './replacements.js';
import { idText, isSame, type KustomizeResource, nameOf, newResource } from './resource.js';
import { addAffixes, addAnnotations, addLabels, setImages, setNamespace, setReplicas } from './transformers.js';
import { resolveVariables } from './variables.js';

export interface BuildOptions {
  /** Files of a kustomization must be in or below its directory. */
  readonly restricted?: boolean;
  /** No plugins are run by default. */
  readonly plugins?: PluginOptions;
}

/** Builds the objects of a kustomization. */
export async function buildKustomization(host: Host, path: string, options: BuildOptions = {}): Promise<Fields[]> {
  if (isRemote(path)) throw remoteRefused(path);
  const folder = await loadFolder(host, path);
  const { restricted = true, plugins = {} } = options;
  const build = new Build({ host, restricted, plugins, root: folder.path });
  const resources: KustomizeResource[] = [];
  await build.accumulate(resources, folder, []);
  await appendHashes(resources);
  fixNameReferences(resources, build.nameReferences);
  resolveVariables(resources, build.variables);
  addBuildMetadata(resources, folder.config);
  return orderResources(resources, folder.config).map(({ object }) => object);
}

/** Charts in either spelling. */
function chartsOf(config: Fields): Fields[] {
  const old = recordsAt(config, 'helmChartInflationGenerator').map(
    ({ chartName, chartRepoUrl, chartVersion, values, ...rest }) => ({
      name: chartName,
      repo: chartRepoUrl,
      version: chartVersion,
      valuesFile: values,
      ...rest,
    }),
  );
  return [...recordsAt(config, 'helmCharts'), ...old];
}

/** A document on a web server, not a repository to clone. */
function isUrlOfFile(entry: string): boolean {
  return /^https?:\/\/[^?]+\.(?:ya?ml|json)(?:\?(?!.*\bref=).*)?$/.test(entry);
}

function isRemote(path: string): boolean {
  return /^(?:https?|git|ssh):\/\/|^git@|^github\.com[/:]|\?ref=/.test(path);
}

function remoteRefused(path: string): CommandError {
  return new CommandError(
    `remote base ${JSON.stringify(path)} is refused: repositories are not cloned here; clone it and name its directory`,
  );
}

/** One build: the layers of a kustomization from below. */
class Build {
  readonly #host: Host;
  readonly #options: Omit<BuildContext, 'folder'> & { readonly root: string };
  readonly variables: Fields[] = [];
  readonly nameReferences: NameReference[] = [];

  constructor(options: Omit<BuildContext, 'folder'> & { readonly root: string }) {
    this.#host = options.host;
    this.#options = options;
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
    const context = { ...this.#options, folder: path };
    const extra = await readConfigurations(config, context);
    this.nameReferences.push(...extra.nameReference);
    for (const entry of [...textsAt(config, 'resources'), ...textsAt(config, 'bases')])
      await this.#addResource(resources, entry, { folder, trail });
    for (const entry of textsAt(config, 'components')) await this.#addComponent(resources, entry, { folder, trail });
    this.variables.push(...recordsAt(config, 'vars'));
    const buildFolder = (entry: string) => this.#buildApart(entry, folder, trail);
    const run = { ...context, config, buildFolder };
    for (const chart of chartsOf(config))
      for (const one of await inflateChart(chart, recordAt(config, 'helmGlobals'), context)) this.#add(resources, one);
    await runGenerators(resources, config, context);
    await runGeneratorPlugins(resources, run);
    await applyPatches(resources, config, context);
    this.#transform(resources, config, extra);
    await applyReplacements(resources, config, context);
    await runTransformerPlugins(resources, run);
    await runValidatorPlugins(resources, run);
  }

  #transform(resources: readonly KustomizeResource[], config: Fields, extra: Configuration): void {
    setNamespace(resources, { namespace: textAt(config, 'namespace'), specs: extra.namespace });
    addAffixes(resources, { prefix: textAt(config, 'namePrefix'), specs: extra.namePrefix });
    addAffixes(resources, { suffix: textAt(config, 'nameSuffix'), specs: extra.nameSuffix });
    addLabels(resources, config, extra);
    addAnnotations(resources, config, extra);
    setReplicas(resources, config, extra.replicas);
    setImages(resources, config, extra.images);
  }

  /** The objects of a kustomization that are not objects of the build, but configure plugins. */
  async #buildApart(entry: string, from: KustomizationFolder, trail: readonly string[]): Promise<KustomizeResource[]> {
    const below: KustomizeResource[] = [];
    await this.accumulate(below, await loadFolder(this.#host, entry, from.path), trail);
    return below;
  }

  async #addResource(
    resources: KustomizeResource[],
    entry: string,
    at: { folder: KustomizationFolder; trail: readonly string[] },
  ): Promise<void> {
    if (isUrlOfFile(entry)) return this.#addUrl(resources, entry);
    if (isRemote(entry)) throw remoteRefused(entry);
    const absolute = resolvePath(at.folder.path, entry);
    const isFolder = await filesOf(this.#host)
      .stat(absolute)
      .then(({ kind }) => kind === 'directory')
      .catch(() => false);
    if (!isFolder) return this.#addFile(resources, entry, at.folder);
    for (const one of await this.#buildApart(entry, at.folder, at.trail)) this.#add(resources, one);
  }

  async #addFile(resources: KustomizeResource[], entry: string, folder: KustomizationFolder): Promise<void> {
    const objects = await readObjects(this.#host, folder.path, entry, this.#options.restricted).catch(
      (error: unknown) => {
        const absolute = resolvePath(folder.path, entry);
        const problem = messageOf(error);
        throw new CommandError(
          problem.startsWith('evalsymlink')
            ? `accumulating resources: accumulation err='accumulating resources from '${entry}': ${problem}': must build at directory: not a valid directory: evalsymlink failure on '${absolute}' : lstat ${absolute}: no such file or directory`
            : `accumulating resources: accumulation err='accumulating resources from '${entry}': ${problem}'`,
        );
      },
    );
    const { root } = this.#options;
    const absolute = resolvePath(folder.path, entry);
    const path = absolute.startsWith(`${root}/`) ? absolute.slice(root.length + 1) : absolute;
    this.#addObjects(resources, objects, path);
  }

  async #addUrl(resources: KustomizeResource[], url: string): Promise<void> {
    const [file] = await readManifestFiles(this.#host, [url], false);
    this.#addObjects(resources, objectsIn(file?.bytes ?? new Uint8Array(), url), url);
  }

  #addObjects(resources: KustomizeResource[], objects: readonly Fields[], path: string): void {
    for (const object of objects) {
      const annotations = recordAt(object, 'metadata', 'annotations');
      const resource = newResource(object, annotations['kustomize.config.k8s.io/needs-hash'] === 'true');
      this.#add(resources, { ...resource, origin: { path } });
    }
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
