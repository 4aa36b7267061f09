import type { appsv1, Pod } from '@coracle/api';
import { isAvailable } from '../pod-state.js';
import { revisionOf } from './identity.js';
import { isGoing, isRunningAndReady, type StatefulSetView } from './plan-statefulset.js';

/**
 * Counts, and the two revisions. When every pod has the new one, it becomes the current one. A pod that was just deleted
 * has neither: without a partition, `currentReplicas` is how many pods still get the current revision when they are made.
 */
export function computeStatefulSetStatus(view: StatefulSetView, collisionCount: number): appsv1.StatefulSetStatus {
  const { set, pods, deleted = [], updateRevision, now } = view;
  const count = (holds: (pod: Pod) => boolean) => pods.filter(holds).length;
  const at = (revision: string) =>
    count((pod) => !isGoing(pod) && !deleted.includes(pod) && revisionOf(pod) === revision);
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  const replicas = pods.length;
  const readyReplicas = count(isRunningAndReady);
  const updatedReplicas = at(updateRevision);
  const desiredReplicas = set.spec?.replicas ?? 1;
  const isRolling = set.spec?.updateStrategy?.type !== 'OnDelete';
  const isComplete =
    isRolling && [updatedReplicas, readyReplicas, replicas].every((number) => number === desiredReplicas);
  const currentRevision = isComplete ? updateRevision : view.currentRevision;
  const nonzero = (name: string, value: number) => (value === 0 ? {} : { [name]: value });
  const { conditions } = set.status ?? {};
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas,
    ...nonzero('readyReplicas', readyReplicas),
    ...nonzero('currentReplicas', at(currentRevision)),
    ...nonzero('updatedReplicas', updatedReplicas),
    currentRevision,
    updateRevision,
    collisionCount,
    availableReplicas: count((pod) => isRunningAndReady(pod) && isAvailable(pod, minReadySeconds, now)),
    ...(conditions && { conditions }),
  };
}
