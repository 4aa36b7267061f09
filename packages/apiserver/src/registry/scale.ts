import {
  badRequest,
  conflict,
  type FieldError,
  invalid,
  invalidField,
  type KubeObject,
  LabelSelector,
  type LabelSelectorObject,
  notFound,
} from '@coracle/apimachinery';
import { deepCopy } from '@coracle/base';
import type { ObjectView } from '../admission/admission.js';
import type { StoredObject } from '../storage/stored-object.js';
import { objectModified } from './create-object.js';
import type { SubresourceCall, SubresourceHandler } from './subresource.js';

/** `autoscaling/v1` Scale: the number of replicas of any resource with a scale subresource. */
export interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas: number; readonly selector?: string };
}

interface Scalable extends KubeObject {
  spec: { replicas?: number; selector?: LabelSelectorObject | Readonly<Record<string, string>> };
  status?: { replicas?: number };
}

/**
 * GET and PUT of the number of replicas; PATCH uses both. `plainSelector`: the selector is a map of labels, as in a
 * ReplicationController.
 */
export function scaleHandler({ plainSelector = false }: { readonly plainSelector?: boolean } = {}): SubresourceHandler {
  const scaleOf = (object: KubeObject): Scale => toScale(object as Scalable, plainSelector);
  const view: ObjectView = { of: scaleOf, restore: (scale, object) => withReplicas(object, scale) };
  return {
    get: async (call) => ({ object: scaleOf((await read(call)).object) }),
    update: async (call, body) => ({ object: scaleOf((await writeScale(call, body, view)).object) }),
    part: { fieldsOf: replicasOf, answerOf: ({ object }) => scaleOf(object) },
  };
}

function replicasOf({ spec }: Scale): object {
  return spec?.replicas === undefined ? {} : { spec: { replicas: spec.replicas } };
}

async function read({ write }: SubresourceCall): Promise<StoredObject> {
  const { storage } = write.resource.stored;
  const stored = await storage.read(storage.key(write.namespace, write.name));
  if (!stored) throw notFound(write.resource.info, write.name);
  return stored;
}

async function writeScale(
  { parts, write }: SubresourceCall<'registry'>,
  scale: Scale,
  view: ObjectView,
): Promise<StoredObject> {
  checkScale(write.name, scale);
  const request = { ...write, view };
  const { stored } = await parts.registry.update(request, {
    change: ({ object }) => {
      const resourceVersion = scale.metadata.resourceVersion;
      if (resourceVersion && resourceVersion !== object.metadata.resourceVersion)
        throw conflict(write.resource.info, write.name, objectModified);
      return withReplicas(deepCopy(object), scale);
    },
    preconditions: { uid: scale.metadata.uid },
  });
  return stored;
}

function withReplicas(object: KubeObject, { spec }: Scale): Scalable {
  const scalable = object as Scalable;
  return { ...scalable, spec: { ...scalable.spec, replicas: spec?.replicas ?? 0 } };
}

function checkScale(name: string, scale: Scale): void {
  if (scale.metadata.name && scale.metadata.name !== name) {
    throw badRequest(`the name of the object (${scale.metadata.name}) does not match the name on the URL (${name})`);
  }
  const replicas = scale.spec?.replicas ?? 0;
  const errors: FieldError[] = [];
  if (replicas < 0) errors.push(invalidField('spec.replicas', replicas, 'must be greater than or equal to 0'));
  if (errors.length > 0) throw invalid({ group: 'autoscaling', kind: 'Scale' }, name, errors);
}

function toScale({ metadata, spec, status }: Scalable, plainSelector: boolean): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const selector = selectorText(spec.selector, plainSelector);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    },
    spec: spec.replicas ? { replicas: spec.replicas } : {},
    status: { replicas: status?.replicas ?? 0, ...(selector !== '' && { selector }) },
  };
}

function selectorText(selector: Scalable['spec']['selector'], plain: boolean): string {
  if (!selector) return '';
  if (plain) return LabelSelector.fromLabels(selector as Readonly<Record<string, string>>).toString();
  return LabelSelector.fromObject(selector as LabelSelectorObject).toString();
}
