import type { KubeObject, ResourceInfo, ResourceRef } from '@coracle/apimachinery';

/** The kinds of a cluster, each in the version that the server prefers. */
export class Catalog {
  readonly kinds: readonly ResourceInfo[];
  readonly #byId: ReadonlyMap<string, ResourceInfo>;

  constructor(infos: readonly ResourceInfo[]) {
    const byId = new Map<string, ResourceInfo>();
    for (const info of infos) {
      const id = idOf(info);
      if (info.verbs.includes('list') && !byId.has(id)) byId.set(id, info);
    }
    this.#byId = byId;
    this.kinds = [...byId.values()];
  }

  /** By `pods`, `deployments.apps`. */
  find(id: string): ResourceInfo | undefined {
    return this.#byId.get(id);
  }

  /** As people name kinds: plural, singular, short, kind, in any case. */
  search(word: string): readonly ResourceInfo[] {
    const text = word.toLowerCase();
    const names = (info: ResourceInfo) => [info.resource, info.singular, info.kind.toLowerCase(), ...info.shortNames];
    const exact = this.kinds.filter((info) => names(info).includes(text) || idOf(info) === text);
    const partly = this.kinds.filter(
      (info) => !exact.includes(info) && names(info).some((one) => one.startsWith(text)),
    );
    return [...exact, ...partly];
  }

  byKind(apiVersion: string, kind: string): ResourceInfo | undefined {
    const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
    return this.kinds.find((info) => info.kind === kind && info.group === group);
  }
}

/** `pods`, `deployments.apps`: short, and the same whichever version is served. */
export function idOf({ group, resource }: Pick<ResourceInfo, 'group' | 'resource'>): string {
  return group ? `${resource}.${group}` : resource;
}

export function refFor({ group, version, resource, kind, namespaced }: ResourceInfo): ResourceRef<KubeObject> {
  return { group, version, resource, kind, namespaced };
}
