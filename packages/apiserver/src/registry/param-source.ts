import type { ParamSource } from '../admission/policies/policy-params.js';
import { toServedVersion } from '../conversion/conversion.js';
import type { ResourceTable } from './resource-table.js';

/** Reads the parameters of policies, in the version that the policy names. */
export function paramSource(resources: ResourceTable): ParamSource {
  return {
    find: ({ group, version, kind }) => {
      const resource = resources
        .all()
        .find(({ info }) => info.group === group && info.version === version && info.kind === kind);
      if (!resource) return undefined;
      const { storage, namespaced } = resource.stored;
      return {
        namespaced,
        get: async (namespace, name) => {
          const stored = storage.isCached
            ? storage.cache.get(storage.key(namespace, name))
            : await storage.read(storage.key(namespace, name));
          return stored && (await toServedVersion(resource, stored.object));
        },
        list: async (namespace) =>
          await Promise.all(storage.cache.list({ namespace }).map(({ object }) => toServedVersion(resource, object))),
      };
    },
  };
}
