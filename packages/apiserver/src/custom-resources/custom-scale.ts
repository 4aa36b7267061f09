import { printerFromColumns } from '@coracle/api';
import {
  badRequest,
  conflict,
  internalError,
  invalid,
  invalidField,
  type KubeObject,
  notFound,
  type StatusError,
  unexplainedFailure,
} from '@coracle/apimachinery';
import { andThen, deepCopy, isRecord, type MaybePromise } from '@coracle/base';
import type { ObjectView } from '../admission/admission.js';
import { toServedVersion, toStoredVersion } from '../conversion/conversion.js';
import { inStoredVersion } from '../conversion/converted-objects.js';
import { objectModified } from '../registry/create-object.js';
import type { Scale } from '../registry/scale.js';
import type { SubresourceCall, SubresourceHandler } from '../registry/subresource.js';
import type { WriteRequest } from '../registry/write-request.js';
import type { ServedResource } from '../served-resource.js';
import type { StoredObject } from '../storage/stored-object.js';
import { type ScalePaths, stepsOf } from './scale-fields.js';

/** The scale of a custom resource, from the paths in its CRD. */
export function customScale(paths: ScalePaths): SubresourceHandler {
  return {
    get: async (call) => ({ object: scaleOf(await read(call), paths), printer: scalePrinter }),
    patched: async (call) => ({ object: scaleOf(withCount(await read(call), paths), paths) }),
    part: {
      fieldsOf: (config) => replicasAt(paths.specReplicasPath, config),
      answerOf: ({ object }, resource) =>
        andThen(toServedVersion(resource, object), (served) => scaleOf(served, paths)),
      refusal: notApplied,
    },
    update: async (call, body) => {
      const scale = body as Scale;
      checkScale(call, scale, paths);
      const { stored } = await call.parts.registry.update(
        { ...call.write, view: viewOf(call, paths) },
        {
          change: ({ object }) => changed(call, { object, scale, paths }),
          preconditions: { uid: scale.metadata.uid },
        },
      );
      return { object: scaleOf(await shown(call.write, stored), paths), printer: scalePrinter };
    },
  };
}

function replicasAt(path: string, { spec }: Scale): object {
  const fields = {};
  if (spec?.replicas !== undefined) put(fields, stepsOf(path), spec.replicas);
  return fields;
}

const scalePrinter = printerFromColumns([
  { name: 'Desired', type: 'integer', description: 'How many replicas there should be.', jsonPath: '.spec.replicas' },
  { name: 'Available', type: 'integer', description: 'How many replicas there are.', jsonPath: '.status.replicas' },
  { name: 'Age', type: 'date', description: 'When the object was created.', jsonPath: '.metadata.creationTimestamp' },
]);

/** The object with a number of replicas that can be changed: zero where it has none yet. */
function withCount(object: KubeObject, { specReplicasPath }: ScalePaths): KubeObject {
  if (numberAt(object, specReplicasPath) !== undefined) return object;
  const counted = deepCopy(object);
  put(counted, stepsOf(specReplicasPath), 0);
  return counted;
}

/** Upstream merges what is applied as the custom resource itself, which a Scale is not. */
function notApplied({ namespace, name }: WriteRequest): StatusError {
  const subject = `${namespace}/${name}; autoscaling/v1, Kind=Scale`;
  return unexplainedFailure(
    `failed to convert new object (${subject}) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`,
  );
}

async function read({ write }: SubresourceCall): Promise<KubeObject> {
  const { storage } = write.resource.stored;
  const stored = await storage.read(storage.key(write.namespace, write.name));
  if (!stored) throw notFound(write.resource.info, write.name);
  return await shown(write, stored);
}

/** A stored object in the version of the request. */
async function shown({ resource }: WriteRequest, stored: StoredObject): Promise<KubeObject> {
  const { object } = await inStoredVersion(resource.stored, stored);
  return await toServedVersion(resource, object);
}

function changed(
  { write }: SubresourceCall,
  { object, scale, paths }: { readonly object: KubeObject; readonly scale: Scale; readonly paths: ScalePaths },
): MaybePromise<KubeObject> {
  const { resourceVersion } = scale.metadata;
  if (resourceVersion && resourceVersion !== object.metadata.resourceVersion)
    throw conflict(write.resource.info, write.name, objectModified);
  return withReplicas(write.resource, object, { scale, paths });
}

function withReplicas(
  resource: ServedResource,
  object: KubeObject,
  { scale, paths }: { readonly scale: Scale; readonly paths: ScalePaths },
): MaybePromise<KubeObject> {
  return andThen(toServedVersion(resource, object), (served) => {
    const next = deepCopy(served);
    put(next, stepsOf(paths.specReplicasPath), scale.spec?.replicas ?? 0);
    return toStoredVersion(resource, next);
  });
}

function viewOf({ write: { resource } }: SubresourceCall, paths: ScalePaths): ObjectView {
  return {
    of: (object) => andThen(toServedVersion(resource, object), (served) => scaleOf(served, paths)),
    restore: (scale, object) => withReplicas(resource, object, { scale, paths }),
  };
}

function checkScale({ write }: SubresourceCall, { metadata, spec }: Scale, paths: ScalePaths): void {
  if (metadata.name && metadata.name !== write.name)
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${write.name})`);
  const replicas = spec?.replicas ?? 0;
  if (replicas >= 0) return;
  const error = invalidField(paths.specReplicasPath, replicas, 'should be a non-negative integer');
  throw invalid(write.resource.info, write.name, [error]);
}

function scaleOf(object: KubeObject, paths: ScalePaths): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = numberAt(object, paths.specReplicasPath);
  if (replicas === undefined) throw withoutReplicas(paths.specReplicasPath);
  const selector = paths.labelSelectorPath ? at(object, stepsOf(paths.labelSelectorPath)) : undefined;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      ...(name && { name }),
      ...(namespace && { namespace }),
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
      ...(creationTimestamp && { creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: numberAt(object, paths.statusReplicasPath) ?? 0,
      ...(typeof selector === 'string' && selector !== '' && { selector }),
    },
  };
}

function withoutReplicas(path: string): StatusError {
  return internalError(new Error(`the spec replicas field ${JSON.stringify(path)} does not exist`));
}

function numberAt(object: KubeObject, path: string): number | undefined {
  const value = at(object, stepsOf(path));
  return typeof value === 'number' ? value : undefined;
}

function at(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((inner, step) => (isRecord(inner) ? inner[step] : undefined), value);
}

function put(object: object, steps: readonly string[], value: unknown): void {
  let target = object as Record<string, unknown>;
  for (const step of steps.slice(0, -1)) {
    if (!isRecord(target[step])) target[step] = {};
    target = target[step] as Record<string, unknown>;
  }
  target[steps.at(-1) ?? ''] = value;
}
