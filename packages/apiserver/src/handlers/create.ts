import type { ApiResponse } from '@coracle/apimachinery';
import { respondWithObject } from '../negotiation/respond.js';
import { decodeNew } from './decode-new.js';
import { type ResourceOperation, writeRequest } from './operation.js';
import { parseWriteOptions } from './write-options.js';

/** Creates the object in the body: 201. */
export async function create(operation: ResourceOperation): Promise<ApiResponse> {
  const { context, deps } = operation;
  const options = parseWriteOptions(context, 'CreateOptions');
  const request = writeRequest(operation, options);
  const creation = await decodeNew(context, request.resource, options.fieldValidation);
  context.trace?.step('apiserver.decode');
  const stored = await deps.registry.create(request, creation);
  return respondWithObject(operation, stored, 201);
}
