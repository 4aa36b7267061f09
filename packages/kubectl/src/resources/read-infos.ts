import { isNotFound, parseApiVersion, parseLabelSelector } from '@coracle/apimachinery';
import { CommandError, throwCollected } from '../command/command-error.js';
import type { Factory } from '../factory.js';
import { type Fields, isRecord, listAt, recordAt, stringMapAt, textAt } from '../values.js';
import type { FindOptions, Found } from './find-options.js';
import type { Info } from './info.js';
import { documentsOf, type ManifestDocument, readManifestFiles } from './read-manifests.js';
import { pathOf, RequestHelper, withQuery } from './request-helper.js';

/** The objects of files: decoded, taken out of lists, mapped to resources, in their namespaces. */
export async function readFileInfos(factory: Factory, options: FindOptions): Promise<Found> {
  const { filenames = [], kustomize = '', recursive = false } = options;
  if (filenames.length > 0 && kustomize !== '') throw new CommandError('only one of -f or -k can be specified');
  const documents: ManifestDocument[] = [];
  const errors: unknown[] = [];
  const files = kustomize === '' ? await readManifestFiles(factory.host, filenames, recursive) : [];
  for (const file of files) collect(errors, () => documents.push(...documentsOf(file)));
  if (kustomize !== '') documents.push(...(await kustomizeDocuments(factory, kustomize)));
  const infos: Info[] = [];
  for (const document of documents) {
    try {
      checkDocument(document, options);
      for (const object of flattened(document.value as Fields))
        infos.push(await infoOfDocument(factory, { ...document, value: object }, options));
    } catch (error) {
      errors.push(error);
    }
  }
  const selected = infos.filter(bySelector(options));
  const single = selected.length === 1 && documents.length === 1 && filenames.length === 1;
  if (!options.latest) return { infos: selected, errors, single };
  const latest = await fetchLatest(factory, selected, options);
  return { infos: latest.infos, errors: [...errors, ...latest.errors], single };
}

function collect(errors: unknown[], action: () => void): void {
  try {
    action();
  } catch (error) {
    errors.push(error);
  }
}

async function kustomizeDocuments(factory: Factory, folder: string): Promise<ManifestDocument[]> {
  const { buildKustomization } = await import('../kustomize/build.js');
  const objects = await buildKustomization(factory.host, folder);
  return objects.map((value) => ({ source: folder, value }));
}

function checkDocument({ source, value }: ManifestDocument, { validate = true, local }: FindOptions): void {
  const problems = isRecord(value)
    ? [
        ...(textAt(value, 'apiVersion') ? [] : ['apiVersion not set']),
        ...(textAt(value, 'kind') ? [] : ['kind not set']),
      ]
    : ['invalid object to validate'];
  if (problems.length === 0) return;
  if (validate && !local) {
    const text = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
    throw new CommandError(
      `error validating ${JSON.stringify(source)}: error validating data: ${text}; if you choose to ignore these errors, turn validation off with --validate=false`,
    );
  }
  const reason = isRecord(value)
    ? `Object '${textAt(value, 'kind') ? 'apiVersion' : 'Kind'}' is missing in '${JSON.stringify(value)}'`
    : `json: cannot unmarshal ${typeof value} into Go value`;
  throw new CommandError(`unable to decode ${JSON.stringify(source)}: ${reason}`);
}

/** Lists stand for their items. */
function flattened(object: Fields): Fields[] {
  if (!textAt(object, 'kind').endsWith('List') || !Array.isArray(object['items'])) return [object];
  return listAt(object, 'items').filter(isRecord).flatMap(flattened);
}

/** An object of a document, with the resource that the server has for it. */
export async function infoOfDocument(
  factory: Factory,
  { source, value }: ManifestDocument,
  options: FindOptions,
): Promise<Info> {
  const object = value as Fields;
  const metadata = recordAt(object, 'metadata');
  const name = textAt(metadata, 'name');
  const ownNamespace = textAt(metadata, 'namespace');
  if (options.local) return { name, namespace: ownNamespace, source, object };
  const [apiVersion, kind] = [textAt(object, 'apiVersion'), textAt(object, 'kind')];
  const groupVersion = parseApiVersion(apiVersion);
  const mapping = groupVersion && (await (await factory.discovery()).byKind({ ...groupVersion, kind }));
  if (!mapping)
    throw new CommandError(
      `resource mapping not found for name: ${JSON.stringify(name)} namespace: ${JSON.stringify(ownNamespace)} from ${JSON.stringify(source)}: no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}\nensure CRDs are installed first`,
    );
  if (!mapping.namespaced) return { mapping, name, namespace: '', source, object };
  if (ownNamespace !== '' && ownNamespace !== options.namespace && options.enforceNamespace && !options.allNamespaces)
    throw new CommandError(
      `the namespace from the provided object ${JSON.stringify(ownNamespace)} does not match the namespace ${JSON.stringify(options.namespace)}. You must pass '--namespace=${ownNamespace}' to perform this operation.`,
    );
  const namespace = ownNamespace || options.namespace;
  return { mapping, name, namespace, source, object: { ...object, metadata: { ...metadata, namespace } } };
}

function bySelector({ labelSelector = '' }: FindOptions): (info: Info) => boolean {
  if (labelSelector === '') return () => true;
  const selector = parseLabelSelector(labelSelector);
  return ({ object }) => selector.matches(stringMapAt(object, 'metadata', 'labels'));
}

async function fetchLatest(
  factory: Factory,
  infos: readonly Info[],
  options: FindOptions,
): Promise<Omit<Found, 'single'>> {
  const helper = new RequestHelper(await factory.client());
  const found: Info[] = [];
  const errors: unknown[] = [];
  for (const info of infos) {
    try {
      const path = withQuery(pathOf(info, options.subresource), options.query ?? {});
      found.push({ ...info, object: await helper.send('GET', path, options.accept ? { accept: options.accept } : {}) });
    } catch (error) {
      if (!(options.ignoreNotFound && isNotFound(error))) errors.push(error);
    }
  }
  return { infos: found, errors };
}

/** The objects of files, or the first failure thrown. */
export async function requireFileInfos(factory: Factory, options: FindOptions): Promise<Info[]> {
  const { infos, errors } = await readFileInfos(factory, options);
  throwCollected(errors);
  return infos;
}
