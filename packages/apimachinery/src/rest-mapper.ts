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

  /** The resource that a person means by a name. Full names come before short ones; the case does not matter. */
  find({ resource, group, version }: PartialResource): ResourceInfo | undefined {
    const name = resource.toLowerCase();
    const fits = (one: ResourceInfo) =>
      (group === undefined || one.group === group) && (version === undefined || one.version === version);
    return this.#byName.get(name)?.find(fits) ?? this.#byShortName.get(name)?.find(fits);
  }

  /** Reads `pods`, `po`, `deployments.apps` and `deployments.v1.apps`. */
  parse(argument: string): ResourceInfo | undefined {
    for (const partial of readings(argument)) {
      const found = this.find(partial);
      if (found) return found;
    }
    return undefined;
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
  const withVersion = rest.length === 0 ? [] : [{ resource, version, group: rest.join('.') }];
  // `pods.v1` and `pods.v1.` name the core group.
  const core = rest.join('') === '' ? [{ resource, version, group: '' }] : [];
  return [...withVersion, ...core, { resource, group }];
}

function add(index: Map<string, ResourceInfo[]>, key: string, resource: ResourceInfo): void {
  const list = index.get(key);
  if (list) list.push(resource);
  else index.set(key, [resource]);
}
