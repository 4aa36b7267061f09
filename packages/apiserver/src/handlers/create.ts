import type { ApiResponse } from '@coracle/apimachinery';
import { respondWithObject } from '../negotiation/respond.js';
import { decodeNew } from './decode-new.js';
import { type ResourceOperation, writeRequest } from './operation.js';
import { parseWriteOptions } from './write-options.js';

/** Makes the object in the body: 201. */
export async function create(operation: ResourceOperation): Promise<ApiResponse> {
  const { context, resource, deps } = operation;
  const options = parseWriteOptions(context, 'CreateOptions');
  const creation = await decodeNew(context, resource, options.fieldValidation);
  const request = writeRequest(operation, options);
  context.trace?.step('apiserver.decode');
  const stored = await deps.registry.create(request, creation);
  return respondWithObject(operation, stored, 201);
}
