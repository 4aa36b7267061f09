import { rulesOf, schemaOfKind } from '@coracle/api';
import {
  type ApiResponse,
  type GroupVersionKind,
  type KubeObject,
  methodNotAllowed,
  pageNotFound,
} from '@coracle/apimachinery';
import { respondWithValue } from '../negotiation/respond.js';
import type { SubresourceCall, SubresourceHandler } from '../registry/subresource.js';
import { decodeBody } from './decode-body.js';
import { getObject } from './get.js';
import { type ResourceOperation, writeRequest } from './operation.js';
import { patchThrough } from './patch.js';
import { updateThrough } from './update.js';
import { parseWriteOptions } from './write-options.js';

/** A request to what hangs below an object, or to a resource that is never stored. */
export async function serveSubresource(
  operation: ResourceOperation,
  handler: SubresourceHandler,
): Promise<ApiResponse> {
  const { context, resource } = operation;
  const { verb } = context.info;
  if (handler.handle) return await handler.handle(callOf(operation));
  if (handler.endpoint) return await serveEndpoint(operation, handler.endpoint);
  if (verb === 'get' && handler.get) return answer(operation, await handler.get(callOf(operation)), 200);
  if (verb === 'list' && handler.list) return answer(operation, await handler.list(callOf(operation)), 200);
  if (verb === 'create' && handler.create) {
    const call = callOf(operation);
    return answer(operation, await handler.create(call, bodyOf(operation, call)), 201);
  }
  if (verb === 'update' && handler.update) {
    const call = callOf(operation);
    return answer(operation, await handler.update(call, bodyOf(operation, call)), 200);
  }
  throw methodNotAllowed(resource.info, verb);
}

async function serveEndpoint(
  operation: ResourceOperation,
  endpoint: NonNullable<SubresourceHandler['endpoint']>,
): Promise<ApiResponse> {
  const { verb } = operation.context.info;
  if (verb === 'get') return await getObject(operation);
  if (verb === 'update') return await updateThrough(operation, endpoint);
  if (verb === 'patch') return await patchThrough(operation, endpoint);
  throw methodNotAllowed(operation.resource.info, verb);
}

function callOf(operation: ResourceOperation): SubresourceCall {
  const { context, deps } = operation;
  const isWrite = context.info.verb === 'create' || context.info.verb === 'update';
  const options = isWrite
    ? parseWriteOptions(context, context.info.verb === 'create' ? 'CreateOptions' : 'UpdateOptions')
    : { dryRun: false, fieldManager: '', fieldValidation: 'Ignore' as const, raw: {} };
  return { parts: deps.parts, context, write: writeRequest(operation, options) };
}

function bodyOf({ context, resource }: ResourceOperation, call: SubresourceCall): KubeObject {
  const gvk = bodyKind(resource.info, context.info.subresource);
  const schema = schemaOfKind(gvk);
  if (!schema) throw pageNotFound();
  const object = decodeBody(context, { ...gvk, schema }, call.write.options.fieldValidation);
  rulesOf<KubeObject>(gvk).setDefaults?.(object);
  return object;
}

function bodyKind(info: ResourceOperation['resource']['info'], subresource: string): GroupVersionKind {
  const { group, version, kind } = info.subresources.find(({ name }) => name === subresource) ?? info;
  return { group, version, kind };
}

function answer(
  { context, form }: ResourceOperation,
  { status, object }: { readonly status?: number; readonly object: unknown },
  usual: number,
): ApiResponse {
  return respondWithValue(context, form, object, status ?? usual);
}
