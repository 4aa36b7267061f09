import { apiVersionOf, type ResourceInfo, type SubresourceInfo } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import type { RemoteGroupVersion } from '../discovery/group-documents.js';
import type { RemoteVersion } from './api-service-table.js';

/** Parses the `APIResourceList` of a server, resource by resource. Invalid entries are dropped. */
function resourcesIn(document: unknown, { group, version }: RemoteVersion): ResourceInfo[] {
  const entries = isRecord(document) && Array.isArray(document['resources']) ? document['resources'] : [];
  const named = entries.filter((entry): entry is Entry => isRecord(entry) && typeof entry['name'] === 'string');
  const subresources = new Map<string, SubresourceInfo[]>();
  for (const entry of named) {
    const [resource = '', ...rest] = entry.name.split('/');
    if (rest.length === 0) continue;
    const below = subresources.get(resource) ?? [];
    subresources.set(resource, [
      ...below,
      { ...kindOf(entry, group, version), name: rest.join('/'), verbs: textsIn(entry.verbs) },
    ]);
  }
  return named
    .filter(({ name }) => !name.includes('/'))
    .map((entry) => ({
      ...kindOf(entry, group, version),
      group,
      version,
      resource: entry.name,
      singular: typeof entry.singularName === 'string' ? entry.singularName : '',
      namespaced: entry.namespaced === true,
      shortNames: textsIn(entry.shortNames),
      categories: textsIn(entry.categories),
      verbs: textsIn(entry.verbs),
      subresources: subresources.get(entry.name) ?? [],
    }));
}

interface Entry {
  readonly name: string;
  readonly singularName?: unknown;
  readonly namespaced?: unknown;
  readonly kind?: unknown;
  readonly group?: unknown;
  readonly version?: unknown;
  readonly shortNames?: unknown;
  readonly categories?: unknown;
  readonly verbs?: unknown;
}

function kindOf(entry: Entry, group: string, version: string): { group: string; version: string; kind: string } {
  return {
    group: typeof entry.group === 'string' && entry.group !== '' ? entry.group : group,
    version: typeof entry.version === 'string' && entry.version !== '' ? entry.version : version,
    kind: typeof entry.kind === 'string' ? entry.kind : '',
  };
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

export function remoteGroupVersions(
  remote: Iterable<RemoteVersion>,
  documentOf: (apiVersion: string) => unknown,
): RemoteGroupVersion[] {
  return [...remote].map((one) => ({
    ...one,
    resources: resourcesIn(documentOf(apiVersionOf(one)), one),
    isFresh: one.isAvailable,
  }));
}
