import { groupOrder } from '@coracle/api';
import { apiVersionOf, type ResourceInfo } from '@coracle/apimachinery';
import { compareVersions } from './sort-versions.js';

/** One group in discovery. */
export interface ServedGroup {
  readonly name: string;
  /** The preferred version first. */
  readonly versions: readonly ServedVersion[];
}

export interface ServedVersion {
  readonly version: string;
  /** True if another server serves it, and its last discovery request failed. */
  readonly isStale?: boolean;
  readonly resources: readonly DiscoveredResource[];
}

export interface DiscoveredResource {
  readonly info: ResourceInfo;
  /** Absent for resources that are never stored. */
  readonly storageVersionHash?: string | undefined;
}

/** A group version that another server serves. */
export interface RemoteGroupVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly resources: readonly ResourceInfo[];
  readonly isFresh: boolean;
}

/** Groups in the order in which clients look for a resource: by priority, then by name. */
export function groupResources(
  resources: readonly DiscoveredResource[],
  remote: readonly RemoteGroupVersion[] = [],
): ServedGroup[] {
  if (remote.length === 0) return localGroups(resources);
  const groups = new Map(localGroups(resources).map((group) => [group.name, group]));
  const priorities = new Map([...groups.keys()].map((name) => [name, groupPriority(name)]));
  for (const { group, groupPriority: priority } of remote)
    priorities.set(group, Math.max(priority, priorities.get(group) ?? 0));
  for (const name of new Set(remote.map(({ group }) => group))) {
    const theirs = remote.filter(({ group }) => group === name).sort(byVersionPriority);
    const versions = theirs.map(({ version, isFresh, resources: infos }) => ({
      version,
      isStale: !isFresh,
      resources: infos.map((info) => ({ info })),
    }));
    const taken = new Set(versions.map(({ version }) => version));
    const own = groups.get(name)?.versions.filter(({ version }) => !taken.has(version)) ?? [];
    groups.set(name, { name, versions: [...versions, ...own] });
  }
  const of = (name: string) => priorities.get(name) ?? 0;
  return [...groups.values()].sort((a, b) => of(b.name) - of(a.name) || (a.name < b.name ? -1 : 1));
}

function byVersionPriority(a: RemoteGroupVersion, b: RemoteGroupVersion): number {
  return b.versionPriority - a.versionPriority || compareVersions(a.version, b.version);
}

/** The priority of groups that CRDs define: after all built-in ones. */
export const customGroupPriority = 1000;

/** The core group first, then the built-in ones in their order. */
export function groupPriority(group: string): number {
  if (group === '') return 18000;
  const index = groupOrder.indexOf(group);
  return index < 0 ? customGroupPriority : 17900 - 100 * index;
}

function localGroups(resources: readonly DiscoveredResource[]): ServedGroup[] {
  const groups = new Map<string, Map<string, DiscoveredResource[]>>();
  for (const resource of resources) {
    const { group, version } = resource.info;
    const versions = groups.get(group) ?? new Map<string, DiscoveredResource[]>();
    groups.set(group, versions);
    versions.set(version, [...(versions.get(version) ?? []), resource]);
  }
  return [...groups]
    .map(([name, versions]) => ({
      name,
      versions: [...versions]
        .map(([version, some]) => ({ version, resources: some.sort(byName) }))
        .sort((a, b) => compareVersions(a.version, b.version)),
    }))
    .sort((a, b) => position(a.name) - position(b.name) || (a.name < b.name ? -1 : 1));
}

function byName(a: DiscoveredResource, b: DiscoveredResource): number {
  return a.info.resource < b.info.resource ? -1 : 1;
}

function position(group: string): number {
  if (group === '') return -1;
  const index = groupOrder.indexOf(group);
  return index < 0 ? groupOrder.length : index;
}

export function groupDocument({ name, versions }: ServedGroup): Record<string, unknown> {
  const described = versions.map(({ version }) => ({ groupVersion: apiVersionOf({ group: name, version }), version }));
  return { name, versions: described, preferredVersion: described[0] };
}

export function resourceListDocument(group: string, { version, resources }: ServedVersion): Record<string, unknown> {
  return {
    kind: 'APIResourceList',
    ...(group !== '' && { apiVersion: 'v1' }),
    groupVersion: apiVersionOf({ group, version }),
    resources: resources.flatMap((resource) => [...resourceEntries(resource)]),
  };
}

function* resourceEntries({ info, storageVersionHash }: DiscoveredResource): Iterable<Record<string, unknown>> {
  yield {
    name: info.resource,
    singularName: info.singular,
    namespaced: info.namespaced,
    kind: info.kind,
    verbs: info.verbs,
    ...(info.shortNames.length > 0 && { shortNames: info.shortNames }),
    ...(info.categories.length > 0 && { categories: info.categories }),
    ...(storageVersionHash !== undefined && { storageVersionHash }),
  };
  for (const { name, group, version, kind, verbs } of info.subresources) {
    const elsewhere = group !== info.group || version !== info.version;
    yield {
      name: `${info.resource}/${name}`,
      singularName: '',
      namespaced: info.namespaced,
      ...(elsewhere && { group, version }),
      kind,
      verbs,
    };
  }
}

/** Aggregated discovery: all groups in one document, an `APIGroupDiscoveryList`. */
export function aggregatedDocument(groups: readonly ServedGroup[], version: 'v2' | 'v2beta1'): Record<string, unknown> {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === '' ? {} : { name },
      versions: versions.map((served) => ({
        version: served.version,
        resources: served.resources.map(aggregatedResource),
        freshness: served.isStale ? 'Stale' : 'Current',
      })),
    })),
  };
}

function aggregatedResource({ info }: DiscoveredResource): Record<string, unknown> {
  const { group, version, kind } = info;
  return {
    resource: info.resource,
    responseKind: { group, version, kind },
    scope: info.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: info.singular,
    verbs: info.verbs,
    ...(info.shortNames.length > 0 && { shortNames: info.shortNames }),
    ...(info.categories.length > 0 && { categories: info.categories }),
    ...(info.subresources.length > 0 && {
      subresources: info.subresources.map((subresource) => ({
        subresource: subresource.name,
        responseKind: { group: subresource.group, version: subresource.version, kind: subresource.kind },
        verbs: subresource.verbs,
      })),
    }),
  };
}
