import type { ApiResponse } from '@coracle/apimachinery';
import { deepCopy } from '@coracle/base';
import { respondWithObject } from '../negotiation/respond.js';
import { toStored } from '../registry/to-stored.js';
import { matchName, type UpdateEndpoint } from '../registry/update-object.js';
import type { WriteRequest } from '../registry/write-request.js';
import { decodeValue, expectedOf, type ParsedBody, parseObject } from './decode-body.js';
import { type ResourceOperation, requireCreate, writeRequest } from './operation.js';
import { parseWriteOptions } from './write-options.js';

/** Replaces the object: 200; or creates it, if the resource allows that: 201. */
export function update(operation: ResourceOperation): Promise<ApiResponse> {
  return updateThrough(operation, undefined);
}

/** The same through a subresource, such as the status. */
export async function updateThrough(
  operation: ResourceOperation,
  endpoint: ((request: WriteRequest) => UpdateEndpoint) | undefined,
): Promise<ApiResponse> {
  const { context, resource, deps } = operation;
  const options = parseWriteOptions(context, 'UpdateOptions');
  const request = writeRequest(operation, options);
  const expected = expectedOf(resource);
  const parsed = besideStored(request, parseObject(context, expected));
  const object = decodeValue(context, { parsed, expected, validation: options.fieldValidation });
  matchName(request, object);
  const newObject = await toStored(request.resource, object);
  context.trace?.step('apiserver.decode');
  const creates = resource.stored.strategy.allowCreateOnUpdate === true && !endpoint;
  const { stored, created } = await deps.registry.update(request, {
    change: () => deepCopy(newObject),
    preconditions: { uid: newObject.metadata.uid },
    ...(creates && { createInstead: () => deepCopy(newObject), requireCreate: () => requireCreate(operation) }),
    ...(endpoint && { endpoint: endpoint(request) }),
  });
  return respondWithObject(operation, stored, created ? 201 : 200);
}

/**
 * A component of this process sends an object that was derived from one that it has read: unchanged parts are identical
 * with those of the stored object, and are not decoded again.
 */
function besideStored({ resource, namespace, name }: WriteRequest, parsed: ParsedBody): ParsedBody {
  if (!parsed.isShared || resource.conversion) return parsed;
  const { storage } = resource.stored;
  const base = storage.cache.get(storage.key(namespace, name))?.object;
  return base ? { ...parsed, base } : parsed;
}
