import { type Pod, type PodTemplateSpec, refs } from '@coracle/api';
import { isNotFound, type KubeObject } from '@coracle/apimachinery';
import { messageOf } from '@coracle/base';
import { isNamespaceTerminating } from './active-namespace.js';
import type { ControllerContext } from './controller.js';
import { controllerReferenceTo } from './owner-claims.js';

export interface PodOwner {
  readonly object: KubeObject;
  readonly apiVersion: string;
  readonly kind: string;
  /** Prefix of the names of its pods, if it is not its own name. */
  readonly podPrefix?: string;
}

/** Creates a pod from a template for its owner, and reports it as an event of the owner. */
export async function createPod(
  context: ControllerContext,
  owner: PodOwner,
  template: PodTemplateSpec | undefined,
): Promise<Pod> {
  const pod = podFromTemplate(owner, template);
  try {
    const created = await context.client.resource(refs.pods, owner.object.metadata.namespace).create(pod);
    context.recorder.event(eventSubject(owner), 'Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name}`);
    return created;
  } catch (error) {
    if (!isNamespaceTerminating(error))
      context.recorder.event(eventSubject(owner), 'Warning', 'FailedCreate', `Error creating: ${messageOf(error)}`);
    throw error;
  }
}

/** A pod that does not exist counts as deleted. */
export async function deletePod(context: ControllerContext, owner: PodOwner, pod: Pod): Promise<void> {
  const { name = '', uid } = pod.metadata;
  try {
    await context.client
      .resource(refs.pods, pod.metadata.namespace)
      .delete(name, uid ? { preconditions: { uid } } : {});
    context.recorder.event(eventSubject(owner), 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
  } catch (error) {
    if (isNotFound(error)) return;
    context.recorder.event(eventSubject(owner), 'Warning', 'FailedDelete', `Error deleting: ${messageOf(error)}`);
    throw error;
  }
}

/** The spec is that of the template, which is shared: do not change it. */
export function podFromTemplate(owner: PodOwner, template: PodTemplateSpec | undefined): Pod {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  const { name = '', namespace } = owner.object.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: owner.podPrefix ?? `${name}-`,
      ...(namespace && { namespace }),
      ...(labels && { labels: { ...labels } }),
      ...(annotations && { annotations: { ...annotations } }),
      ...(finalizers && { finalizers: [...finalizers] }),
      ownerReferences: [controllerReferenceTo(owner.object, owner)],
    },
    ...(template?.spec && { spec: template.spec }),
  };
}

function eventSubject({ object, apiVersion, kind }: PodOwner): KubeObject {
  return { ...object, apiVersion, kind };
}
