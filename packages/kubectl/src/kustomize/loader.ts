import { parseYamlDocuments } from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';
import { messageOf } from '../command/format-error.js';
import type { Host } from '../host.js';
import { joinPath, resolvePath } from '../paths.js';
import { filesOf } from '../resources/read-manifests.js';
import { type Fields, isRecord } from '../values.js';

const fileNames = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** Fields of a kustomization, as they are spelt. */
const knownFields = [
  'apiVersion',
  'kind',
  'metadata',
  'namespace',
  'namePrefix',
  'nameSuffix',
  'commonLabels',
  'labels',
  'commonAnnotations',
  'resources',
  'components',
  'bases',
  'crds',
  'patches',
  'patchesStrategicMerge',
  'patchesJson6902',
  'images',
  'imageTags',
  'replicas',
  'replacements',
  'vars',
  'configMapGenerator',
  'secretGenerator',
  'generatorOptions',
  'generators',
  'transformers',
  'validators',
  'configurations',
  'openapi',
  'buildMetadata',
  'sortOptions',
  'helmCharts',
  'helmGlobals',
  'helmChartInflationGenerator',
  'inventory',
];

/** A directory with a kustomization. */
export interface KustomizationFolder {
  /** Absolute, with links followed. */
  readonly path: string;
  readonly config: Fields;
}

/** Loads the kustomization of a directory. */
export async function loadFolder(host: Host, path: string, from = ''): Promise<KustomizationFolder> {
  const files = filesOf(host);
  const absolute = resolvePath(files.workingDirectory, from === '' ? path : joinPath(from, path));
  const shown = from === '' ? path : absolute;
  const folder = await files.resolveLinks(absolute).catch(() => {
    throw new CommandError(
      `must build at directory: not a valid directory: evalsymlink failure on '${shown}' : lstat ${absolute}: no such file or directory`,
    );
  });
  if ((await files.stat(folder)).kind !== 'directory')
    throw new CommandError(`must build at directory: '${shown}': file is not directory`);
  const present = (await files.list(folder)).filter((name) => fileNames.includes(name));
  if (present.length > 1) throw new CommandError(`Found multiple kustomization files under: ${folder}`);
  const [name] = present;
  if (name === undefined)
    throw new CommandError(
      `unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '${folder}'`,
    );
  return { path: folder, config: await readConfig(host, `${folder}/${name}`) };
}

async function readConfig(host: Host, path: string): Promise<Fields> {
  const [document] = await readDocuments(host, path);
  if (!isRecord(document)) throw new CommandError(`kustomization.yaml is empty`);
  const config: Fields = {};
  for (const [key, value] of Object.entries(document)) {
    // Names are matched as Go's JSON does it: the case does not count.
    const scheme =
      knownFields.find((field) => field === key) ??
      knownFields.find((field) => field.toLowerCase() === key.toLowerCase());
    if (scheme === undefined)
      throw new CommandError(`invalid Kustomization: json: unknown field ${JSON.stringify(key)}`);
    config[scheme] = value;
  }
  return config;
}

async function readDocuments(host: Host, path: string): Promise<unknown[]> {
  const text = new TextDecoder().decode(await filesOf(host).read(path));
  try {
    return parseYamlDocuments(text).map(({ value }) => value);
  } catch (error) {
    throw new CommandError(`${path}: ${messageOf(error)}`);
  }
}

/** A file below a kustomization's directory; others are refused unless the restriction is lifted. */
export async function readBelow(host: Host, folder: string, path: string, restricted: boolean): Promise<Uint8Array> {
  const files = filesOf(host);
  const absolute = resolvePath(folder, path);
  const real = await files.resolveLinks(absolute).catch(() => {
    throw new CommandError(`evalsymlink failure on '${absolute}' : lstat ${absolute}: no such file or directory`);
  });
  if (restricted && !`${real}/`.startsWith(`${folder}/`))
    throw new CommandError(`security; file '${real}' is not in or below '${folder}'`);
  return files.read(real);
}

/** The objects of a file, lists taken apart. */
export async function readObjects(host: Host, folder: string, path: string, restricted: boolean): Promise<Fields[]> {
  return objectsIn(await readBelow(host, folder, path, restricted), path);
}

export function objectsIn(bytes: Uint8Array, path: string): Fields[] {
  const documents = parseYamlDocuments(new TextDecoder().decode(bytes)).map(({ value }) => value);
  const objects: Fields[] = [];
  for (const document of documents) {
    if (!isRecord(document)) throw new CommandError(`invalid Kubernetes object in ${path}`);
    if (String(document['kind']).endsWith('List') && Array.isArray(document['items']))
      objects.push(...document['items'].filter(isRecord));
    else objects.push(document);
  }
  for (const object of objects)
    if (!object['kind']) throw new CommandError(`missing Resource metadata in ${path}: kind is required`);
  return objects;
}
