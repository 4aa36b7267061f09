import { type ApiResponse, notFound } from '@coracle/apimachinery';
import { respondWithObject } from '../negotiation/respond.js';
import { storeFailure } from '../storage/store-failure.js';
import type { StoredObject } from '../storage/stored-object.js';
import type { ResourceOperation } from './operation.js';
import { awaitFreshness, parseRevision } from './revision.js';

/** Returns one object. Without a resourceVersion it is as fresh as the store; with one, not older than that. */
export async function getObject(operation: ResourceOperation): Promise<ApiResponse> {
  const { context, resource } = operation;
  const { info, request, query } = context;
  const stated = request.query === '' ? '' : (query.get('resourceVersion') ?? '');
  const stored = await findObject(operation, stated).catch((error: unknown) => {
    throw storeFailure(error, resource.info, 'get');
  });
  if (!stored) throw notFound(resource.info, info.name);
  return respondWithObject(operation, stored);
}

async function findObject(
  { context, resource }: ResourceOperation,
  resourceVersion: string,
): Promise<StoredObject | undefined> {
  const { storage } = resource.stored;
  const { namespace, name } = context.info;
  const key = storage.key(namespace, name);
  if (resourceVersion === '') return await storage.read(key);
  if (resourceVersion !== '0') await awaitFreshness(storage, parseRevision(resourceVersion));
  if (!storage.isCached) return await storage.read(key);
  return storage.cache.get(key);
}
