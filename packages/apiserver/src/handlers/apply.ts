import {
  type ApiResponse,
  type Applied,
  apiVersionOf,
  applyConfiguration,
  badRequest,
  conflict,
  formatTime,
  type GroupVersionKind,
  type KubeObject,
  parseYamlDocuments,
  StatusError,
  unexplainedFailure,
} from '@coracle/apimachinery';
import { andThen, isRecord, type MaybePromise } from '@coracle/base';
import { toServedVersion } from '../conversion/conversion.js';
import { respondWithObject } from '../negotiation/respond.js';
import { isTrue } from '../parse-request-info.js';
import { withConversions } from '../registry/field-conversions.js';
import { resetFieldsOf, setManagedFields } from '../registry/managed-fields.js';
import type { SubresourcePart } from '../registry/subresource.js';
import { appliedToStored } from '../registry/to-stored.js';
import { matchName, type UpdateEndpoint } from '../registry/update-object.js';
import type { FieldValidation, WriteRequest } from '../registry/write-request.js';
import type { ServedResource } from '../served-resource.js';
import type { StoredObject } from '../storage/stored-object.js';
import { checkBodySize, decodeValue, expectedOf } from './decode-body.js';
import { syncLastApplied } from './last-applied.js';
import { addWarning, type ResourceOperation, requireCreate, writeRequest } from './operation.js';
import { parseWriteOptions } from './write-options.js';

/** Server-side apply: the body is the applied configuration of its field manager. Creates the object if there is none. */
export async function apply(
  operation: ResourceOperation,
  endpoint: ((request: WriteRequest) => UpdateEndpoint) | undefined,
): Promise<ApiResponse> {
  const { deps } = operation;
  const options = parseWriteOptions(operation.context, 'PatchOptions', { applies: true });
  const { config, problems } = parseConfiguration(operation);
  const request = writeRequest(operation, options);
  const attempt = (live: KubeObject | undefined) =>
    andThen(merge(operation, { request, config, live }), (object) => {
      tellProblems(operation, problems, options.fieldValidation);
      return object;
    });
  const { stored, created } = await deps.registry.update(request, {
    change: (current) => attempt(current.object),
    ...(!endpoint && {
      createInstead: () => attempt(undefined),
      requireCreate: () => requireCreate(operation),
    }),
    ...(endpoint && { endpoint: endpoint(request) }),
    fieldsAreTracked: true,
  });
  return respondWithObject(operation, stored, created ? 201 : 200);
}

/** The same for a subresource, whose object must exist. */
export async function applyPart(
  operation: ResourceOperation,
  { part, expected }: { readonly part: SubresourcePart; readonly expected: GroupVersionKind },
): Promise<StoredObject> {
  const { resource, deps } = operation;
  const options = parseWriteOptions(operation.context, 'PatchOptions', { applies: true });
  const config = parseConfiguration(operation).config as Partial<KubeObject>;
  const request = writeRequest(operation, options);
  if (config.apiVersion !== apiVersionOf(expected) || config.kind !== expected.kind)
    throw badRequest(`what is applied must be a ${expected.kind} of ${apiVersionOf(expected)}`);
  const { name, namespace } = request;
  const stated = config.metadata?.name ?? name;
  if (stated !== name)
    throw badRequest(`the name of the object (${stated}) does not match the name on the URL (${name})`);
  const metadata = { name, ...(namespace !== '' && { namespace }) };
  const whole = {
    apiVersion: resource.apiVersion,
    kind: resource.info.kind,
    metadata,
    ...part.fieldsOf(config as KubeObject),
  };
  const { stored } = await deps.registry.update(request, {
    change: (current) =>
      andThen(merge(operation, { request, config: whole, live: current.object }), (merged) => {
        if (part.refusal) throw part.refusal(request);
        return merged;
      }),
    fieldsAreTracked: true,
  });
  return stored;
}

function merge(
  { context, deps }: ResourceOperation,
  { request, config, live }: { request: WriteRequest; config: object; live: KubeObject | undefined },
): MaybePromise<KubeObject> {
  const { resource } = request;
  const resetFields = resetFieldsOf(request);
  const configuration = {
    config,
    schema: resource.schema,
    manager: request.options.fieldManager,
    force: isTrue(context.query.get('force')),
    apiVersion: resource.apiVersion,
    subresource: request.subresource,
    now: formatTime(deps.clock.now()),
    ...(resetFields && { resetFields }),
  };
  const applied = andThen(live && toServedVersion(resource, live), (served) =>
    withConversions(resource, (convert) => applyConfiguration({ ...configuration, live: served, convert })),
  );
  return andThen(applied, (outcome) => decodeApplied({ context, resource, request, config, live }, outcome));
}

interface ApplyAttempt extends Pick<ResourceOperation, 'context' | 'resource'> {
  readonly request: WriteRequest;
  readonly config: object;
  readonly live: KubeObject | undefined;
}

function decodeApplied(
  { context, resource, request, config, live }: ApplyAttempt,
  applied: Applied,
): MaybePromise<KubeObject> {
  const parsed = { value: applied.object, duplicateFields: [], isShared: true };
  const expected = expectedOf(resource);
  const refuse = (why: string) => unconvertible(resource, config, why);
  const { fieldValidation: validation } = request.options;
  const object = decodeValue(context, { parsed, expected, validation, refuse, wrapsIntegers: true });
  matchName(request, object);
  if (!live && object.metadata.uid) throw noSuchUid(request, object.metadata.uid);
  setManagedFields(object, applied.managedFields);
  syncLastApplied(object, { config, manager: request.options.fieldManager });
  return appliedToStored(resource, object);
}

/** An internal error rather than a bad request, as in upstream. */
function unconvertible({ info, apiVersion }: ServedResource, config: object, why: string): StatusError {
  const { name = '', namespace = '' } = (config as Partial<KubeObject>).metadata ?? {};
  const kind = `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${info.kind}`;
  const reason = why.replace(/^(?=illegal base64)/, 'error decoding from json: ');
  const message = `failed to convert new object (${namespace}/${name}; ${kind}) to proper version: unable to convert unstructured object to ${kind}: ${reason}`;
  return unexplainedFailure(message);
}

interface Configuration {
  readonly config: object;
  /** Problems that only strict YAML parsing reports. */
  readonly problems: readonly string[];
}

function parseConfiguration({ context }: ResourceOperation): Configuration {
  const { body } = context.request;
  if (!body) throw badRequest('error decoding YAML: the body may not be empty');
  checkBodySize(body);
  const { value, problems = [] } = body.kind === 'value' ? { value: body.value } : readYaml(body.bytes);
  if (!isRecord(value)) throw badRequest('error decoding YAML: an object is expected');
  return { config: value, problems };
}

/** Reports the problems, once everything else is valid. */
function tellProblems({ context }: ResourceOperation, problems: readonly string[], validation: FieldValidation): void {
  if (validation === 'Strict' && problems.length > 0)
    throw badRequest(`error strict decoding YAML: ${problems.join(', ')}`);
  if (validation === 'Warn') for (const problem of problems) addWarning(context, problem.replace(/\n\s*/g, ' '));
}

function readYaml(bytes: Uint8Array): { readonly value?: unknown; readonly problems?: readonly string[] } {
  try {
    return parseYamlDocuments(bytes)[0] ?? {};
  } catch (error) {
    throw StatusError.is(error) ? badRequest(`error decoding YAML: ${error.message}`) : error;
  }
}

/** A uid refers to an existing object, not to a new one. */
function noSuchUid({ resource, name }: WriteRequest, uid: string): StatusError {
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  return conflict(resource.info, name, why);
}
