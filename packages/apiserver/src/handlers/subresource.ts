import { rulesOf, schemaOfKind } from '@coracle/api';
import {
  type ApiResponse,
  isConflict,
  type KubeList,
  type KubeObject,
  methodNotAllowed,
  pageNotFound,
} from '@coracle/apimachinery';
import { withEnd } from '../channel-end.js';
import type { RequestContext } from '../handler-chain.js';
import { applyPatchType, mediaType } from '../negotiation/media-type.js';
import { respondWithValue } from '../negotiation/respond.js';
import { tableOfValue } from '../negotiation/table.js';
import { admissionAttributes } from '../registry/admission-attributes.js';
import { kindOf } from '../registry/admission-versions.js';
import { wipeSystemFields } from '../registry/create-object.js';
import { matchNamespace } from '../registry/match-namespace.js';
import type {
  AnyCall,
  SubresourceAnswer,
  SubresourceCall,
  SubresourceHandler,
  SubresourcePart,
} from '../registry/subresource.js';
import { matchName } from '../registry/update-object.js';
import { applyPart } from './apply.js';
import { connectOptions } from './connect-options.js';
import { decodeBody, type Expected } from './decode-body.js';
import { getObject } from './get.js';
import { type ResourceOperation, writeRequest } from './operation.js';
import { patchThrough, patchValue } from './patch.js';
import { updateThrough } from './update.js';
import { type OptionsKind, parseWriteOptions } from './write-options.js';

/** Their bodies state what must hold for the object itself. */
const keepsSystemFields: ReadonlySet<string> = new Set(['binding', 'eviction']);

/** A request to a subresource, or to a resource that is never stored. */
export async function serveSubresource(
  operation: ResourceOperation,
  handler: SubresourceHandler,
): Promise<ApiResponse> {
  const { context, resource } = operation;
  const { verb } = context.info;
  if (handler.connect) return await connect(operation, handler.connect);
  if (handler.handle) {
    const { handle } = handler;
    if (context.info.subresource !== 'proxy') return await handle(callOf(operation));
    const call = await admitConnection(operation);
    return await whileOpen(operation, () => handle(call));
  }
  if (handler.endpoint) return await serveEndpoint(operation, handler.endpoint);
  if (verb === 'get' && handler.get) return answer(operation, await handler.get(callOf(operation)), 200);
  if (verb === 'list' && handler.list) return answer(operation, await handler.list(callOf(operation)), 200);
  if (verb === 'create' && handler.create) {
    const call = callOf(operation);
    const body = bodyOf(operation, call);
    if (!keepsSystemFields.has(context.info.subresource)) wipeSystemFields(body);
    matchNamespace(call.write.namespace, body);
    return answer(operation, await handler.create(call, await admitBody(operation, call, body)), 201);
  }
  if (verb === 'update' && handler.update) {
    const call = callOf(operation);
    const body = bodyOf(operation, call);
    matchNamespace(call.write.namespace, body);
    matchName(call.write, body);
    return answer(operation, await handler.update(call, body), 200);
  }
  if (verb === 'patch' && handler.part && isApply(context)) return await applyToPart(operation, handler.part);
  if (verb === 'patch' && handler.get && handler.update) return await patchByParts(operation, handler);
  throw methodNotAllowed(resource.info, verb);
}

async function connect(
  operation: ResourceOperation,
  open: NonNullable<SubresourceHandler['connect']>,
): Promise<ApiResponse> {
  const { upgrade } = operation.context;
  const call = await admitConnection(operation);
  return await whileOpen(operation, async (onEnd) => {
    const opened = await open(call, upgrade?.protocols);
    if ('status' in opened) return opened;
    const channel = withEnd(opened, onEnd);
    if (upgrade) upgrade.channel = channel;
    return { status: 101, headers: {}, body: { kind: 'empty' } };
  });
}

/** Counts the request as a connection until it is answered or, if a channel was opened, until `onEnd` is called. */
async function whileOpen(
  { context, resource, deps }: ResourceOperation,
  serve: (onEnd: () => void) => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const isOver = deps.longRunning.begin('CONNECT', resource.info, context.info);
  let staysOpen = false;
  try {
    const response = await serve(isOver);
    staysOpen = response.status === 101;
    return response;
  } finally {
    if (!staysOpen) isOver();
  }
}

/** Admission runs as for a write, because exec can change a container. */
async function admitConnection(operation: ResourceOperation): Promise<AnyCall> {
  const call = callOf(operation);
  const options = connectOptions(operation);
  const attributes = admissionAttributes(call.write, 'CONNECT', { object: options, oldObject: undefined });
  const { admission } = operation.deps.registry.deps;
  const object = await admission.mutate(attributes);
  await admission.validate({ ...attributes, object });
  return call;
}

/** An object created by a subresource, or only for a response, passes admission as an object of its own. */
async function admitBody(
  operation: ResourceOperation,
  { write }: SubresourceCall,
  body: KubeObject,
): Promise<KubeObject> {
  const { admission } = operation.deps.registry.deps;
  const attributes = admissionAttributes(write, 'CREATE', { object: body, oldObject: undefined });
  const object = await admission.mutate(attributes);
  await admission.validate({ ...attributes, object });
  return object;
}

function isApply({ request }: RequestContext): boolean {
  return mediaType(request.headers['content-type']) === applyPatchType;
}

async function applyToPart(operation: ResourceOperation, part: SubresourcePart): Promise<ApiResponse> {
  const stored = await applyPart(operation, { part, expected: expectedBody(operation) });
  return answer(operation, { object: await part.answerOf(stored, operation.resource) }, 200);
}

const patchAttempts = 5;

/** Reads, patches and writes, and retries on conflict. */
async function patchByParts(operation: ResourceOperation, handler: SubresourceHandler): Promise<ApiResponse> {
  const call = callOf(operation);
  const expected = expectedBody(operation);
  const validation = call.write.options.fieldValidation;
  for (let attempt = 1; ; attempt++) {
    const current = await (handler.patched ?? handler.get)?.(call);
    const body = patchValue(operation, current?.object as KubeObject, { expected, validation });
    try {
      return answer(operation, (await handler.update?.(call, body)) as SubresourceAnswer, 200);
    } catch (error) {
      if (!isConflict(error) || attempt >= patchAttempts) throw error;
      operation.context.signal.throwIfAborted();
    }
  }
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

const optionsKinds: Readonly<Record<string, OptionsKind>> = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
};

function callOf(operation: ResourceOperation): AnyCall {
  const { context, deps } = operation;
  const kind = optionsKinds[context.info.verb];
  const options = kind
    ? parseWriteOptions(context, kind)
    : { dryRun: false, fieldManager: '', fieldValidation: 'Ignore' as const, raw: {} };
  return { parts: deps.parts, context, write: writeRequest(operation, options) };
}

function bodyOf(operation: ResourceOperation, call: SubresourceCall): KubeObject {
  const expected = expectedBody(operation);
  const object = decodeBody(operation.context, expected, call.write.options.fieldValidation);
  rulesOf<KubeObject>(expected).setDefaults?.(object);
  return object;
}

function expectedBody({ context, resource }: ResourceOperation): Expected {
  const gvk = kindOf(resource.info, context.info.subresource);
  const schema = schemaOfKind(gvk);
  if (!schema) throw pageNotFound();
  const alsoRead = alsoReadOf[gvk.kind];
  return { ...gvk, schema, ...(alsoRead && { alsoRead }) };
}

/** Kind → older versions with the same fields that clients still send. */
const alsoReadOf: Readonly<Record<string, readonly string[]>> = { Eviction: ['policy/v1beta1'] };

function answer(
  operation: ResourceOperation,
  { status, object, printer }: SubresourceAnswer,
  usual: number,
): ApiResponse {
  const { context, form } = operation;
  const value = form.as === 'table' && isShown(object) ? tableOfValue(operation, object, printer) : object;
  return respondWithValue(context, form, value, status ?? usual);
}

/** Objects and lists of them; neither a Status nor a review, which has neither name nor items. */
function isShown(value: unknown): value is KubeObject | KubeList<KubeObject> {
  const { metadata, items } = value as Partial<KubeList<KubeObject>> & Partial<KubeObject>;
  return items !== undefined || metadata?.name !== undefined;
}
