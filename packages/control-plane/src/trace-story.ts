import { refs } from '@coracle/api';
import { controllerOf, type KubeObject, type ResourceRef } from '@coracle/apimachinery';
import type { ObjectReader } from '@coracle/apiserver';
import type { RecordingTracer, Step } from '@coracle/base';
import { ownValue } from '@coracle/base';

/** The steps of one object. */
export interface Chapter {
  readonly subject: string;
  readonly steps: readonly Step[];
}

/** The objects that create pods, or create their owners, by kind. */
const makers: Readonly<Record<string, ResourceRef<KubeObject>>> = {
  CronJob: refs.cronJobs,
  DaemonSet: refs.daemonSets,
  Deployment: refs.deployments,
  Job: refs.jobs,
  ReplicaSet: refs.replicaSets,
  ReplicationController: refs.replicationControllers,
  StatefulSet: refs.statefulSets,
};

/** Resources that are traced, so that the trace of a pod begins with its controller. */
export const tracedResources: readonly string[] = ['pods', ...Object.values(makers).map(({ resource }) => resource)];

/** The steps of a pod: first those of the objects that created it, up to its creation; then its own. */
export function tellStory(tracer: RecordingTracer, objects: ObjectReader, subject: string): Chapter[] {
  const chapters: Chapter[] = [{ subject, steps: tracer.stepsOf(subject) }];
  const [resource, namespace = '', name = ''] = subject.split('/');
  let object: KubeObject | undefined = resource === 'pods' ? objects.get(refs.pods, namespace, name) : undefined;
  while (object) {
    const owner = controllerOf(object);
    const ref = owner && ownValue(makers, owner.kind);
    const until = chapters[0]?.steps[0]?.order;
    if (!ref || until === undefined) break;
    const maker = `${ref.resource}/${namespace}/${owner.name}`;
    chapters.unshift({ subject: maker, steps: tracer.stepsOf(maker).filter(({ order }) => order < until) });
    object = objects.get(ref, namespace, owner.name);
  }
  return chapters.filter(({ steps }) => steps.length > 0);
}
