import { isConflict, type KubeObject, notFound, type ResourceRef } from '@coracle/apimachinery';
import { deepCopy } from '@coracle/base';
import type { ObjectReader, ObjectWriter } from './object-reader.js';
import type { Registry } from './registry/registry.js';
import type { ResourceTable } from './registry/resource-table.js';
import { toStored } from './registry/to-stored.js';
import { statusEndpoint } from './registry/update-object.js';
import type { WriteRequest } from './registry/write-request.js';
import type { ServedResource } from './served-resource.js';

/** Reads objects for components of the server, directly from the caches. */
export function createObjectReader(resources: () => ResourceTable): ObjectReader {
  const storageOf = (ref: ResourceRef<KubeObject>) => resources().findStored(ref)?.storage;
  return {
    get: <T extends KubeObject>(ref: ResourceRef<T>, namespace: string, name: string) => {
      const storage = storageOf(ref);
      return storage?.cache.get(storage.key(namespace, name))?.object as T | undefined;
    },
    list: <T extends KubeObject>(ref: ResourceRef<T>, namespace = '') =>
      (storageOf(ref)?.cache.list({ namespace }) ?? []).map(({ object }) => object as T),
    getFresh: async <T extends KubeObject>(ref: ResourceRef<T>, namespace: string, name: string) => {
      const storage = storageOf(ref);
      return (await storage?.read(storage.key(namespace, name)))?.object as T | undefined;
    },
    generation: (ref) => storageOf(ref)?.cache.generation ?? 0,
  };
}

const serverUser = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };

/** Writes for components of the server, without authorization and admission. */
export function createObjectWriter(resources: ResourceTable, registry: Registry): ObjectWriter {
  const changeOnce = async <T extends KubeObject>(request: WriteRequest, next: (current: T) => T): Promise<T> => {
    const { resource } = request;
    const { stored } = await registry.update(request, {
      change: ({ object }) => toStored(resource, withKind(resource, deepCopy(next(deepCopy(object) as T)))),
      ...(request.subresource === 'status' && { endpoint: statusEndpoint(request) }),
    });
    return stored.object as T;
  };
  const change = async <T extends KubeObject>(request: WriteRequest, next: (current: T) => T): Promise<T> => {
    for (;;) {
      try {
        return await changeOnce(request, next);
      } catch (error) {
        // The new object has the resource version that it was computed from, so a concurrent write is a conflict.
        if (!isConflict(error)) throw error;
      }
    }
  };
  return {
    create: async (ref, object) => {
      const request = ownRequest(find(resources, ref), object.metadata.namespace ?? '', '');
      const { resource } = request;
      const stored = await registry.create(request, {
        object: await toStored(resource, withKind(resource, deepCopy(object))),
      });
      return stored.object as typeof object;
    },
    update: (ref, namespace, name, next) => change(ownRequest(find(resources, ref), namespace, name), next),
    delete: async (ref, namespace, name) => {
      await registry.delete(ownRequest(find(resources, ref), namespace, name), {});
    },
    updateStatus: (ref, namespace, name, next) =>
      change({ ...ownRequest(find(resources, ref), namespace, name), subresource: 'status' }, next),
  };
}

function ownRequest(resource: ServedResource, namespace: string, name: string): WriteRequest {
  return {
    resource,
    namespace,
    name,
    subresource: '',
    user: serverUser,
    options: { dryRun: false, fieldManager: 'kube-apiserver', fieldValidation: 'Ignore', raw: {} },
    warn: () => {},
  };
}

function find(resources: ResourceTable, ref: ResourceRef<KubeObject>): ServedResource {
  const resource = resources.find(ref.group, ref.version, ref.resource);
  if (!resource) throw notFound(ref, '');
  return resource;
}

function withKind<T extends KubeObject>({ info, apiVersion }: ServedResource, object: T): T {
  object.kind = info.kind;
  object.apiVersion = apiVersion;
  return object;
}
