import type { GroupResource, GroupVersionKind } from './group-version.js';
import type { ResourceInfo } from './resource-info.js';

/** A resource as a person names it: group and version may be left out. */
export interface PartialResource {
  readonly resource: string;
  readonly group?: string;
  readonly version?: string;
}

/**
 * Finds resources by kind, name, singular or short name.
 *
 * Several may fit; the one that comes first in the list wins, so the list is in order of preference, as discovery
 * gives it.
 */
export class RestMapper {
  readonly #byKind = new Map<string, ResourceInfo[]>();
  readonly #byName = new Map<string, ResourceInfo[]>();
  readonly #byShortName = new Map<string, ResourceInfo[]>();

  constructor(resources: Iterable<ResourceInfo>) {
    for (const resource of resources) {
      add(this.#byKind, resource.kind, resource);
      for (const name of new Set([resource.resource, resource.singular])) add(this.#byName, name, resource);
      for (const name of resource.shortNames) add(this.#byShortName, name, resource);
    }
  }

  /** The resource that holds objects of this kind. Without a version, the preferred one. */
  byKind(gvk: Omit<GroupVersionKind, 'version'> & { readonly version?: string }): ResourceInfo | undefined {
    return this.#byKind
      .get(gvk.kind)
      ?.find(({ group, version }) => group === gvk.group && (gvk.version === undefined || version === gvk.version));
  }

  /**
   * The resource of a user-supplied name. Full names take precedence over short ones, and are case-insensitive. A short
   * name selects the resource in its preferred version, whatever version is stated, as in client-go.
   */
  find({ resource, group, version }: PartialResource): ResourceInfo | undefined {
    const inGroup = (one: ResourceInfo) => group === undefined || one.group === group;
    const full = this.#byName.get(resource.toLowerCase())?.filter(inGroup) ?? [];
    if (full.length > 0) return full.find((one) => version === undefined || one.version === version);
    return this.#byShortName.get(resource)?.find(inGroup);
  }

  /** Reads `pods`, `po`, `deployments.apps`, `deployments.v1.apps`, and groups by how they begin: `sc.storage`. */
  parse(argument: string): ResourceInfo | undefined {
    for (const partial of readings(argument)) {
      const found = this.find(partial) ?? this.#findInGroups(partial);
      if (found) return found;
    }
    return undefined;
  }

  /** In the first group whose name begins with what is given. */
  #findInGroups({ resource, group: beginning, version }: PartialResource): ResourceInfo | undefined {
    if (!beginning) return undefined;
    const begins = ({ group }: ResourceInfo) => group.startsWith(beginning);
    const short = this.#byShortName.get(resource)?.find(begins);
    if (short) return this.versions(short).find((one) => version === undefined || one.version === version);
    return version === undefined ? this.#byName.get(resource.toLowerCase())?.find(begins) : undefined;
  }

  /** Every version of a resource, the preferred one first. */
  versions({ group, resource }: GroupResource): readonly ResourceInfo[] {
    return (this.#byName.get(resource) ?? []).filter((one) => one.group === group && one.resource === resource);
  }

  /** All resources of a category such as `all`. */
  inCategory(category: string): readonly ResourceInfo[] {
    const resources = new Set([...this.#byKind.values()].flat());
    return [...resources].filter(({ categories }) => categories.includes(category));
  }
}

/** The ways to read a name with dots, the most exact first. */
function readings(argument: string): PartialResource[] {
  const [resource = '', version, ...rest] = argument.split('.');
  if (version === undefined) return [{ resource }];
  const group = argument.slice(resource.length + 1);
  return [...(rest.length > 0 ? [{ resource, version, group: rest.join('.') }] : []), { resource, group }];
}

function add(index: Map<string, ResourceInfo[]>, key: string, resource: ResourceInfo): void {
  const list = index.get(key);
  if (list) list.push(resource);
  else index.set(key, [resource]);
}
