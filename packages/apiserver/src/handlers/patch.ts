import {
  type ApiResponse,
  applyJsonPatch,
  applyMergePatchToObject,
  applyStrategicMergePatch,
  badRequest,
  failure,
  formatFieldError,
  invalidField,
  type KubeObject,
  type ObjectSchema,
  parseJson,
  StatusError,
  unsupportedMediaType,
  writeJson,
} from '@coracle/apimachinery';
import { andThen, deepCopy, ownValue } from '@coracle/base';
import { toServedVersion } from '../conversion/conversion.js';
import { applyPatchType, mediaType } from '../negotiation/media-type.js';
import { respondWithObject } from '../negotiation/respond.js';
import { knowsDefaultsOfSpec, toStored } from '../registry/to-stored.js';
import { matchName, type UpdateEndpoint } from '../registry/update-object.js';
import type { FieldValidation, WriteRequest } from '../registry/write-request.js';
import { apply } from './apply.js';
import { checkBodySize, decodeValue, type Expected, expectedOf } from './decode-body.js';
import { type ResourceOperation, writeRequest } from './operation.js';
import { parseWriteOptions } from './write-options.js';

/** Computes the new object from a patch. */
type Patcher = (schema: ObjectSchema, object: KubeObject, patch: unknown) => KubeObject;

/** Not for custom resources: their CRDs have no merge keys for lists. */
const strategic = 'application/strategic-merge-patch+json';

const patchers: Readonly<Record<string, Patcher>> = {
  'application/json-patch+json': (_schema, object, patch) => applyJsonPatch(object, patch),
  'application/merge-patch+json': (_schema, object, patch) => applyMergePatchToObject(object, patch),
  [strategic]: (schema, object, patch) => ofSameKind(applyStrategicMergePatch(object, patch, schema), object),
};
const patchTypes = [...Object.keys(patchers), applyPatchType];

/** Changes an object by a patch, and retries on conflict. */
export function patch(operation: ResourceOperation): Promise<ApiResponse> {
  return patchThrough(operation, undefined);
}

/** The same through a subresource, such as the status. */
export async function patchThrough(
  operation: ResourceOperation,
  endpoint: ((request: WriteRequest) => UpdateEndpoint) | undefined,
): Promise<ApiResponse> {
  const { context, resource, deps } = operation;
  const type = mediaType(context.request.headers['content-type']);
  if (type === applyPatchType) return await apply(operation, endpoint);
  if (type === strategic && resource.jsonSchema)
    throw unsupportedMediaType(patchTypes.filter((one) => one !== strategic));
  const patcher = patcherFor(type);
  const options = parseWriteOptions(context, 'PatchOptions');
  const body = parsePatch(operation);
  const request = writeRequest(operation, options);
  const expected = expectedOf(resource);
  const { fieldValidation: validation } = options;
  const { specs } = resource.stored;
  const takeOver = knowsDefaultsOfSpec(resource) ? specs.takeOver.bind(specs) : undefined;
  const { stored } = await deps.registry.update(request, {
    change: (current) =>
      andThen(toServedVersion(request.resource, current.object), (object) => {
        // Shares parts with the stored object and with the patch, which may be used again: decoding copies them.
        const patched = patcher(resource.schema, object, body);
        const parsed = { value: patched, duplicateFields: [], base: object, takeOver };
        const refuse = (why: string) => badPatch(body, type === strategic ? unrestorable(why) : why);
        const wrapsIntegers = type === strategic;
        const decoded = decodeValue(context, { parsed, expected, validation, refuse, wrapsIntegers });
        matchName(request, decoded);
        return toStored(request.resource, decoded, object);
      }),
    ...(endpoint && { endpoint: endpoint(request) }),
  });
  return respondWithObject(operation, stored);
}

/**
 * The kind and version that a strategic merge patch states have no effect: upstream reads its outcome by the type of
 * the patched object. Clients scale with patches that state the kind of the scaled object.
 */
function ofSameKind(patched: KubeObject, { kind, apiVersion }: KubeObject): KubeObject {
  return {
    ...patched,
    ...(typeof patched.kind === 'string' && { kind }),
    ...(typeof patched.apiVersion === 'string' && { apiVersion }),
  };
}

function patcherFor(type: string): Patcher {
  const patcher = ownValue(patchers, type);
  if (!patcher) throw unsupportedMediaType(patchTypes);
  return patcher;
}

/** Patches an object that is not stored, such as a Scale. */
export function patchValue(
  operation: ResourceOperation,
  object: KubeObject,
  { expected, validation }: { readonly expected: Expected; readonly validation: FieldValidation },
): KubeObject {
  const { context } = operation;
  const type = mediaType(context.request.headers['content-type']);
  const patcher = patcherFor(type);
  const body = parsePatch(operation);
  const parsed = { value: patcher(expected.schema, deepCopy(object), body), duplicateFields: [] };
  const refuse = (why: string) => badPatch(body, type === strategic ? unrestorable(why) : why);
  return decodeValue(context, { parsed, expected, validation, refuse, wrapsIntegers: type === strategic });
}

const wrongType = /^json: cannot unmarshal (\w+) into Go (?:struct field \S+|value) of type (.+)$/;
const goKinds: Readonly<Record<string, string>> = { array: 'slice', object: 'map', number: 'int64' };

/** A strategic merge patch is not decoded from JSON, so upstream's message for a type mismatch differs. */
function unrestorable(why: string): string {
  const [, json = '', type = ''] = wrongType.exec(why) ?? [];
  if (type === '') return why;
  const kind = ownValue(goKinds, json) ?? json;
  if (type.startsWith('map')) return `cannot restore map from ${kind}`;
  if (type.startsWith('[]')) return `cannot restore slice from ${kind}`;
  return /^[A-Z]|\.[A-Z]/.test(type) ? `cannot restore struct from: ${kind}` : `cannot convert ${kind} to ${type}`;
}

/**
 * The result of a patch is not an object of the kind. The error does not name the kind, because the patch is invalid.
 */
function badPatch(body: unknown, why: string): StatusError {
  const error = invalidField('patch', writeJson(body), why);
  const causes = [{ reason: error.type, message: error.body, field: error.field }];
  return failure('Invalid', ` "" is invalid: ${formatFieldError(error)}`, { causes });
}

function parsePatch({ context }: ResourceOperation): unknown {
  const { body } = context.request;
  if (!body) throw badRequest('the body of a patch may not be empty');
  checkBodySize(body);
  if (body.kind === 'value') return body.value;
  try {
    return parseJson(body.bytes).value;
  } catch (error) {
    const isStrategic = mediaType(context.request.headers['content-type']) === strategic;
    throw StatusError.is(error) && !isStrategic ? badRequest(`error decoding patch: ${error.message}`) : error;
  }
}
