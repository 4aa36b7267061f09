import { isNotFound, type ResourceInfo, StatusError } from '@coracle/apimachinery';
import type { CachedDiscovery } from '@coracle/client';
import { CommandError, throwCollected } from '../command/command-error.js';
import type { Factory } from '../factory.js';
import type { Fields } from '../values.js';
import type { FindOptions, Found } from './find-options.js';
import { goResource, type Info } from './info.js';
import { readFileInfos } from './read-infos.js';
import { collectionPath, pathOf, RequestHelper, reworded, withQuery } from './request-helper.js';
import { expandCategories, parseResourceArguments, resolveType } from './resource-arguments.js';

export type { FindOptions, Found } from './find-options.js';

const missingResource = [
  'You must provide one or more resources by argument or filename.',
  'Example resource specifications include:',
  "   '-f rsrc.yaml'",
  "   '--filename=rsrc.json'",
  "   '<resource> <name>'",
  "   '<resource>'",
].join('\n');

/** Resolves the arguments and files of a command to objects. */
export async function findResources(factory: Factory, options: FindOptions): Promise<Found> {
  const { args = [], filenames = [], kustomize = '' } = options;
  if (filenames.length > 0 || kustomize !== '') {
    if (args.length > 0)
      throw new CommandError(
        'when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well',
      );
    return readFileInfos(factory, options);
  }
  return new Finder(factory, options).find(args);
}

/** The same, and a failure if anything could not be found. */
export async function requireResources(factory: Factory, options: FindOptions): Promise<Info[]> {
  const { infos, errors } = await findResources(factory, options);
  throwCollected(errors);
  return infos;
}

class Finder {
  readonly #factory: Factory;
  readonly #options: FindOptions;

  constructor(factory: Factory, options: FindOptions) {
    this.#factory = factory;
    this.#options = options;
  }

  async find(args: readonly string[]): Promise<Found> {
    const { all, labelSelector, fieldSelector, singleType, listsTypes } = this.#options;
    const { types, names, pairs } = parseResourceArguments(args);
    if (all && (labelSelector || fieldSelector))
      throw new CommandError("setting 'all' parameter but found a non empty selector. ".trimEnd());
    const selects = Boolean(all || labelSelector || fieldSelector);
    if (args.length === 0) throw new CommandError(missingResource);
    if (selects && (names.length > 0 || pairs.length > 0))
      throw new CommandError('name cannot be provided when a selector is specified');
    const discovery = await this.#factory.discovery();
    const expanded = await expandCategories(discovery, types);
    if (singleType && (expanded.length > 1 || new Set(pairs.map(({ type }) => type)).size > 1))
      throw new CommandError('you may only specify a single resource type');
    if (pairs.length > 0) return this.#byPairs(discovery, pairs);
    if (names.length > 0) return this.#byNames(discovery, expanded, names);
    const mappings = await this.#mappings(discovery, expanded);
    if (!selects && !listsTypes) throw new CommandError('resource(s) were provided, but no name was specified');
    return this.#bySelector(mappings);
  }

  async #mappings(discovery: CachedDiscovery, types: readonly string[]): Promise<ResourceInfo[]> {
    const mappings: ResourceInfo[] = [];
    for (const type of types) mappings.push(await resolveType(discovery, type, (text) => this.#factory.warn(text)));
    return mappings;
  }

  async #byPairs(discovery: CachedDiscovery, pairs: readonly { type: string; name: string }[]): Promise<Found> {
    const targets: { mapping: ResourceInfo; name: string }[] = [];
    for (const { type, name } of pairs) targets.push({ mapping: await resolveType(discovery, type), name });
    return this.#named(targets, pairs.length === 1);
  }

  async #byNames(discovery: CachedDiscovery, types: readonly string[], names: readonly string[]): Promise<Found> {
    const mappings = await this.#mappings(discovery, types);
    const targets = mappings.flatMap((mapping) => names.map((name) => ({ mapping, name })));
    return this.#named(targets, targets.length === 1);
  }

  async #named(targets: readonly { mapping: ResourceInfo; name: string }[], single: boolean): Promise<Found> {
    const { allNamespaces, namespace, namesOnly } = this.#options;
    if (allNamespaces) throw new CommandError('a resource cannot be retrieved by name across all namespaces');
    const infos: Info[] = targets.map(({ mapping, name }) => ({
      mapping,
      name,
      namespace: mapping.namespaced ? namespace : '',
      source: '',
    }));
    if (namesOnly) return { infos, errors: [], single };
    return { ...(await this.#fetch(infos)), single };
  }

  async #fetch(infos: readonly Info[]): Promise<Pick<Found, 'infos' | 'errors'>> {
    const { accept, query, subresource = '', ignoreNotFound } = this.#options;
    const helper = new RequestHelper(await this.#factory.client());
    const found: Info[] = [];
    const errors: unknown[] = [];
    for (const info of infos) {
      try {
        const path = withQuery(pathOf(info, subresource), query ?? {});
        found.push({ ...info, object: await helper.send('GET', path, accept ? { accept } : {}) });
      } catch (error) {
        if (!(ignoreNotFound && isNotFound(error))) errors.push(error);
      }
    }
    return { infos: found, errors };
  }

  async #bySelector(mappings: readonly ResourceInfo[]): Promise<Found> {
    const infos: Info[] = [];
    const errors: unknown[] = [];
    for (const mapping of mappings) {
      try {
        infos.push(...(await this.#list(mapping)));
      } catch (error) {
        errors.push(error);
      }
    }
    return { infos, errors, single: false };
  }

  async #list(mapping: ResourceInfo): Promise<Info[]> {
    const { namespace, allNamespaces, accept, query, keepLists } = this.#options;
    const where = { mapping, namespace: allNamespaces ? '' : namespace };
    const helper = new RequestHelper(await this.#factory.client());
    const infos: Info[] = [];
    let token = '';
    do {
      const page = await this.#page(helper, collectionPath(where), {
        mapping,
        token,
        ...(accept && { accept }),
        ...(query && { query }),
      });
      if (keepLists) infos.push({ mapping, namespace: where.namespace, name: '', source: '', object: page });
      else infos.push(...itemsOf(page, mapping));
      token = continueOf(page);
    } while (token !== '');
    return infos;
  }

  async #page(
    helper: RequestHelper,
    path: string,
    request: { mapping: ResourceInfo; token: string; accept?: string; query?: Readonly<Record<string, string>> },
  ): Promise<Fields> {
    const { labelSelector = '', fieldSelector = '', chunkSize = 0 } = this.#options;
    const { mapping, token, accept, query } = request;
    const full = withQuery(path, {
      ...query,
      labelSelector,
      fieldSelector,
      ...(chunkSize > 0 && { limit: chunkSize }),
      continue: token,
    });
    try {
      return await helper.send('GET', full, accept ? { accept } : {});
    } catch (error) {
      throw listFailure(error, mapping, { labelSelector, fieldSelector });
    }
  }
}

/** The error of a refused list names the resource. */
function listFailure(
  error: unknown,
  mapping: ResourceInfo,
  { labelSelector, fieldSelector }: { labelSelector: string; fieldSelector: string },
): unknown {
  if (!(error instanceof StatusError) || !['BadRequest', 'NotFound'].includes(error.status.reason ?? '')) return error;
  const resource = JSON.stringify(goResource(mapping));
  const message = error.status.message ?? '';
  if (labelSelector === '' && fieldSelector === '') return reworded(error, `Unable to list ${resource}: ${message}`);
  return reworded(
    error,
    `Unable to find ${resource} that match label selector ${JSON.stringify(labelSelector)}, field selector ${JSON.stringify(fieldSelector)}: ${message}`,
  );
}

function continueOf(page: Fields): string {
  const metadata = page['metadata'] as { continue?: string } | undefined;
  return metadata?.continue ?? '';
}

/** Items of a list have no kind of their own: the list's says it. */
function itemsOf(page: Fields, mapping: ResourceInfo): Info[] {
  const items = Array.isArray(page['items']) ? (page['items'] as Fields[]) : [];
  const apiVersion = String(page['apiVersion'] ?? '');
  return items.map((item) => {
    const { apiVersion: own, kind, ...rest } = item;
    const object = { apiVersion: own ?? apiVersion, kind: kind ?? mapping.kind, ...rest };
    const { name = '', namespace = '' } = (item['metadata'] ?? {}) as { name?: string; namespace?: string };
    return { mapping, name, namespace, source: '', object };
  });
}
