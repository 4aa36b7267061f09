import { apiVersionOf, parseApiVersion, type ResourceInfo, type SubresourceInfo } from '@coracle/apimachinery';

/** A group of the API, as `/apis` lists it. */
export interface ApiGroup {
  readonly name: string;
  readonly versions: readonly { readonly groupVersion: string; readonly version: string }[];
  readonly preferredVersion?: { readonly groupVersion: string; readonly version: string };
}

/** One resource or subresource of a group and version. */
export interface ApiResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  /** The kind of the objects, if it is of another group or version. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** The resources of one group version. */
export interface ApiResourceList {
  readonly groupVersion: string;
  readonly resources: readonly ApiResource[];
}

/** Everything that a server serves. The core group comes first, under an empty name. */
export interface ServerResources {
  readonly groups: readonly ApiGroup[];
  readonly lists: readonly ApiResourceList[];
  /** Group versions whose discovery failed, with the reason: an aggregated server may be down. */
  readonly failures: ReadonlyMap<string, unknown>;
}

/** The resources in order of preference: by group, then by version, the preferred one first. */
export function resourceInfos({ groups, lists }: ServerResources): ResourceInfo[] {
  const byVersion = new Map(lists.map((list) => [list.groupVersion, list]));
  return groups.flatMap((group) =>
    versionsByPreference(group).flatMap((groupVersion) => {
      const list = byVersion.get(groupVersion);
      return list ? infosOf(list) : [];
    }),
  );
}

function versionsByPreference({ versions, preferredVersion }: ApiGroup): string[] {
  const all = versions.map(({ groupVersion }) => groupVersion);
  if (!preferredVersion) return all;
  return [preferredVersion.groupVersion, ...all.filter((one) => one !== preferredVersion.groupVersion)];
}

function infosOf({ groupVersion, resources }: ApiResourceList): ResourceInfo[] {
  const own = parseApiVersion(groupVersion);
  if (!own) return [];
  const subresources = resources.filter(({ name }) => name.includes('/'));
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map((resource) => ({
      ...own,
      resource: resource.name,
      kind: resource.kind,
      singular: resource.singularName || resource.kind.toLowerCase(),
      namespaced: resource.namespaced,
      shortNames: resource.shortNames ?? [],
      categories: resource.categories ?? [],
      verbs: resource.verbs,
      subresources: subresources
        .filter(({ name }) => name.startsWith(`${resource.name}/`))
        .map(
          (sub): SubresourceInfo => ({
            name: sub.name.slice(resource.name.length + 1),
            group: sub.group ?? own.group,
            version: sub.version ?? own.version,
            kind: sub.kind,
            verbs: sub.verbs,
          }),
        ),
    }));
}

/** A version of aggregated discovery, which returns all groups in one response. */
interface AggregatedList {
  readonly items?: readonly AggregatedGroup[];
}

interface AggregatedGroup {
  readonly metadata?: { readonly name?: string };
  readonly versions?: readonly AggregatedVersion[];
}

interface AggregatedVersion {
  readonly version: string;
  readonly freshness?: string;
  readonly resources?: readonly AggregatedResource[];
}

interface AggregatedResource {
  readonly resource: string;
  readonly responseKind?: { readonly group?: string; readonly version?: string; readonly kind: string };
  readonly scope: string;
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly AggregatedSubresource[];
}

interface AggregatedSubresource {
  readonly subresource: string;
  readonly responseKind?: AggregatedResource['responseKind'];
  readonly verbs?: readonly string[];
}

/** Converts aggregated discovery to the form of discovery by group. */
export function fromAggregated(list: unknown): ServerResources {
  const groups: ApiGroup[] = [];
  const lists: ApiResourceList[] = [];
  const failures = new Map<string, unknown>();
  for (const { metadata, versions = [] } of (list as AggregatedList).items ?? []) {
    const name = metadata?.name ?? '';
    const named = versions.map(({ version }) => ({ version, groupVersion: apiVersionOf({ group: name, version }) }));
    const [preferredVersion] = named;
    groups.push({ name, versions: named, ...(preferredVersion && { preferredVersion }) });
    for (const one of versions) {
      const groupVersion = apiVersionOf({ group: name, version: one.version });
      if (one.freshness === 'Stale')
        failures.set(groupVersion, new Error(`stale GroupVersion discovery: ${groupVersion}`));
      else
        lists.push({
          groupVersion,
          resources: (one.resources ?? []).flatMap((resource) => plainResources(resource, name, one.version)),
        });
    }
  }
  return { groups, lists, failures };
}

function plainResources(resource: AggregatedResource, group: string, version: string): ApiResource[] {
  const namespaced = resource.scope === 'Namespaced';
  const kindOf = (kind: AggregatedResource['responseKind']) => ({
    kind: kind?.kind ?? '',
    ...(kind?.group !== undefined && kind.group !== group && { group: kind.group }),
    ...(kind?.version && kind.version !== version && { version: kind.version }),
  });
  const whole: ApiResource = {
    name: resource.resource,
    singularName: resource.singularResource ?? '',
    namespaced,
    ...kindOf(resource.responseKind),
    verbs: resource.verbs ?? [],
    ...(resource.shortNames && { shortNames: resource.shortNames }),
    ...(resource.categories && { categories: resource.categories }),
  };
  const parts = (resource.subresources ?? []).map((sub) => ({
    name: `${resource.resource}/${sub.subresource}`,
    singularName: '',
    namespaced,
    ...kindOf(sub.responseKind),
    verbs: sub.verbs ?? [],
  }));
  return [whole, ...parts];
}
