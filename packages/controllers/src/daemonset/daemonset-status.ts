import type { appsv1 } from '@coracle/api';
import { isReady } from '../pod-state.js';
import { type DaemonView, isAvailableDaemon, isCurrent } from './daemon-nodes.js';

/** Counts nodes, not pods: if a node has several, the first one counts. */
export function computeDaemonSetStatus(view: DaemonView, collisionCount: number | undefined): appsv1.DaemonSetStatus {
  const { nodes, daemonSet } = view;
  const desired = nodes.filter(({ fit }) => fit.shouldRun);
  const scheduled = desired.flatMap(({ pods }) => pods[0] ?? []);
  const available = scheduled.filter((pod) => isReady(pod) && isAvailableDaemon(pod, view)).length;
  const nonzero = (name: string, value: number) => (value === 0 ? {} : { [name]: value });
  const { conditions } = daemonSet.status ?? {};
  return {
    currentNumberScheduled: scheduled.length,
    numberMisscheduled: nodes.filter(({ fit, pods }) => !fit.shouldRun && pods.length > 0).length,
    desiredNumberScheduled: desired.length,
    numberReady: scheduled.filter(isReady).length,
    observedGeneration: daemonSet.metadata.generation ?? 0,
    ...nonzero('updatedNumberScheduled', scheduled.filter((pod) => isCurrent(pod, view)).length),
    ...nonzero('numberAvailable', available),
    ...nonzero('numberUnavailable', desired.length - available),
    ...(collisionCount !== undefined && { collisionCount }),
    ...(conditions && { conditions }),
  };
}
