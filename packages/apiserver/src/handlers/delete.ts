import { schemaOf } from '@coracle/api';
import { type ApiResponse, badRequest, decodeObject, type ObjectSchema } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import { respondWithList, respondWithObject, respondWithValue } from '../negotiation/respond.js';
import { isTrue } from '../parse-request-info.js';
import type { Deletion } from '../registry/delete-object.js';
import { checkDeleteOptions, type DeleteOptions } from '../registry/delete-options.js';
import type { PropagationPolicy } from '../registry/deletion-finalizers.js';
import type { WriteOptions } from '../registry/write-request.js';
import { parseSelection } from '../watching/selection.js';
import { type MessageTypes, parseBody } from './decode-body.js';
import { parseListOptions } from './list-options.js';
import { listMeta, listPage } from './list-page.js';
import { type ResourceOperation, writeRequest } from './operation.js';
import { parseInteger, parseWriteOptions } from './write-options.js';

/** Resources whose deletion returns the object instead of a Status. */
const returnsObject: ReadonlySet<string> = new Set([
  '/pods',
  '/podtemplates',
  '/persistentvolumes',
  '/persistentvolumeclaims',
  '/resourcequotas',
  '/serviceaccounts',
  '/services',
]);

/** Deletes one object, at once or gracefully. */
export async function deleteOne(operation: ResourceOperation): Promise<ApiResponse> {
  const { context, resource, form, deps } = operation;
  const { deletion, options } = parseDeletion(operation);
  const { info } = resource;
  context.trace?.step('apiserver.decode');
  const deleted = await deps.registry.delete(writeRequest(operation, options), deletion);
  if (!deleted.removed || returnsObject.has(`${info.group}/${info.resource}`)) {
    const isLater = !deleted.removed && deletion.orphanDependents === false;
    return respondWithObject(operation, deleted.stored, isLater ? 202 : 200);
  }
  const { uid, name = '' } = deleted.stored.object.metadata;
  // A success Status that was not made from an error has no code.
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(info.group && { group: info.group }), kind: info.resource, ...(uid && { uid }) },
  };
  return respondWithValue(context, form, status, 200);
}

/** Deletes all selected objects, and returns the list of them. */
export async function deleteCollection(operation: ResourceOperation): Promise<ApiResponse> {
  const { context, resource, deps } = operation;
  const { deletion, options } = parseDeletion(operation);
  const selection = parseSelection(context, resource);
  const page = await listPage(resource, selection, parseListOptions(context, 'list'));
  const request = writeRequest(operation, options);
  await inParallel(page.items, async ({ object }) => {
    context.signal.throwIfAborted();
    const { name = '', namespace = '' } = object.metadata;
    await deps.registry.delete({ ...request, name, namespace, isOfCollection: true }, deletion).catch(ignoreMissing);
  });
  return respondWithList(operation, page.items, listMeta(page));
}

/**
 * Number of objects that are deleted concurrently: they share the store's syncs, and other requests are served in
 * between.
 */
const workers = 16;

/** Stops at the first failure, after the deletions in progress have finished. */
async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  let failed = false;
  const run = async () => {
    while (next < items.length && !failed) {
      try {
        await work(items[next++] as T);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: workers }, run));
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure) throw failure.reason;
}

function ignoreMissing(error: unknown): void {
  if ((error as { status?: { reason?: string } }).status?.reason !== 'NotFound') throw error;
}

/** Delete options are in the body or, if there is none, in the query. */
function parseDeletion(operation: ResourceOperation): { deletion: Deletion; options: WriteOptions } {
  const { context } = operation;
  const deleteOptions = hasBody(operation) ? fromBody(operation) : fromQuery(operation);
  checkDeleteOptions(deleteOptions);
  const base = context.request.query.includes('fieldManager')
    ? parseWriteOptions(context, 'DeleteOptions')
    : { fieldManager: '', fieldValidation: 'Ignore' as const };
  const options: WriteOptions = {
    ...base,
    dryRun: (deleteOptions.dryRun?.length ?? 0) > 0,
    raw: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', ...deleteOptions },
  };
  return { deletion: deleteOptions, options };
}

function hasBody({ context }: ResourceOperation): boolean {
  const { body } = context.request;
  return body !== undefined && (body.kind === 'value' || body.bytes.length > 0);
}

const optionsSchema = schemaOf('meta-v1/DeleteOptions') as ObjectSchema;

/**
 * DeleteOptions belong to no group: clients send the group and version of the object, and any other is accepted as
 * well.
 */
const optionsTypes: MessageTypes = {
  schemaOf: ({ kind }) => (kind === 'DeleteOptions' ? optionsSchema : undefined),
  otherwise: { group: 'meta.k8s.io', version: 'v1', kind: 'DeleteOptions' },
};

function fromBody({ context }: ResourceOperation): DeleteOptions {
  const { value } = parseBody(context, optionsTypes);
  if (isRecord(value) && !['', 'DeleteOptions'].includes(String(value.kind ?? '')))
    throw badRequest('decoded object cannot be converted to DeleteOptions');
  return decodeObject<DeleteOptions>(value, optionsSchema).object;
}

function fromQuery({ context }: ResourceOperation): DeleteOptions {
  const { query, request } = context;
  if (request.query === '') return {};
  const gracePeriodSeconds = parseInteger(query, 'gracePeriodSeconds');
  const propagationPolicy = query.get('propagationPolicy') ?? undefined;
  const orphan = query.get('orphanDependents');
  const dryRun = query.getAll('dryRun');
  return {
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(propagationPolicy !== undefined && { propagationPolicy: propagationPolicy as PropagationPolicy }),
    ...(orphan !== null && { orphanDependents: isTrue(orphan) }),
    ...(dryRun.length > 0 && { dryRun }),
  };
}
