import {
  type ContainerStatus,
  computeQosClass,
  isTerminalPhase,
  type Pod,
  type PodCondition,
  type PodStatus,
} from '@coracle/api';
import { findCondition, formatTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { PodFailure } from '../pod-failure.js';
import { type ResizeState, resizeConditions } from '../resize/resize-state.js';
import { containersToReset, containersToRestart } from '../restart-all/containers-to-reset.js';
import { podAddresses } from '../runtime-pod.js';
import { type ContainerStatusInput, containerStatuses } from './container-status.js';
import { kubeletConditions, podConditions } from './pod-conditions.js';
import { podPhase } from './pod-phase.js';

export interface PodStatusInput extends ContainerStatusInput {
  readonly hostIps: readonly string[];
  readonly now: Millis;
  /** Whether no container of the pod will be started any more. */
  readonly terminal: boolean;
  /** Set if the pod failed as a whole: rejected, evicted, past its deadline. */
  readonly failure?: PodFailure;
  /** The state of its resize. */
  readonly resize?: ResizeState;
}

/** Computes the status of the pod for the API. Pure: depends on the pod, its state in the runtime, and the time. */
export function computePodStatus(input: PodStatusInput): PodStatus {
  const { pod, now, hostIps, failure } = input;
  if (isRejected(input)) return rejectedStatus(pod, failure, now);
  const { spec, metadata } = pod;
  const before = pod.status ?? {};
  const inits = containerStatuses(input, spec?.initContainers ?? [], 'init');
  const ephemerals = containerStatuses(input, spec?.ephemeralContainers ?? [], 'ephemeral');
  const podIps = podAddresses(pod, input.state, hostIps);
  const status: PodStatus = {
    ...retainedFields(before),
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    ...(failure && { reason: failure.reason, message: failure.message }),
    ...(hostIps[0] && { hostIP: hostIps[0], hostIPs: hostIps.map((ip) => ({ ip })) }),
    ...(podIps[0] && { podIP: podIps[0], podIPs: podIps.map((ip) => ({ ip })) }),
    startTime: before.startTime ?? formatTime(now),
    qosClass: before.qosClass ?? computeQosClass(pod),
    ...(inits.length > 0 && { initContainerStatuses: inits }),
    containerStatuses: containerStatuses(input, spec?.containers ?? [], 'regular'),
    ...(ephemerals.length > 0 && { ephemeralContainerStatuses: ephemerals }),
  };
  status.phase = phaseOf(input, status);
  const resizing = resizeConditions(
    isTerminalPhase(status.phase) ? undefined : input.resize,
    before.conditions ?? [],
    now,
  );
  const conditions = [...resizing, ...podConditions(pod, status, { state: input.state, now })];
  status.conditions = withDisruption(conditions, input);
  return status;
}

/** Whether the pod was never admitted, by this kubelet or before it was restarted. */
function isRejected({ failure, pod, state }: PodStatusInput): boolean {
  if (state.containers.length > 0) return false;
  const { phase = '', containerStatuses } = pod.status ?? {};
  return failure?.isRejection === true || (isTerminalPhase(phase) && containerStatuses === undefined);
}

/** Such a pod has no containers, no addresses, and only conditions of others. */
function rejectedStatus(pod: Pod, failure: PodFailure | undefined, now: Millis): PodStatus {
  const before = pod.status ?? {};
  const { generation } = pod.metadata;
  const conditions = before.conditions?.filter(({ type }) => !kubeletConditions.has(type)) ?? [];
  return {
    ...retainedFields(before),
    ...(generation !== undefined && { observedGeneration: generation }),
    phase: before.phase !== undefined && isTerminalPhase(before.phase) ? before.phase : 'Failed',
    ...(failure && { reason: failure.reason, message: failure.message }),
    startTime: before.startTime ?? formatTime(now),
    qosClass: before.qosClass ?? computeQosClass(pod),
    ...(conditions.length > 0 && { conditions }),
  };
}

const disrupted = 'DisruptionTarget';

/** Adds the condition DisruptionTarget to a pod that the node has evicted. */
function withDisruption(conditions: PodCondition[], { failure, pod, now }: PodStatusInput): PodCondition[] {
  const before = findCondition(conditions, disrupted);
  if (!failure?.disruption || before?.status === 'True') return conditions;
  const { generation } = pod.metadata;
  const target = {
    type: disrupted,
    status: 'True',
    ...failure.disruption,
    lastTransitionTime: formatTime(now),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  return [...conditions.filter((condition) => condition !== before), target];
}

/** Fields of other clients, and fields that stay once they are set. */
function retainedFields({
  nominatedNodeName,
  resourceClaimStatuses,
  reason,
  message,
  podIP,
  podIPs,
  ...rest
}: PodStatus) {
  const { extendedResourceClaimStatus } = rest;
  return {
    ...(nominatedNodeName && { nominatedNodeName }),
    ...(resourceClaimStatuses && { resourceClaimStatuses }),
    ...(extendedResourceClaimStatus && { extendedResourceClaimStatus }),
    ...(reason && { reason }),
    ...(message && { message }),
    // A pod that has ended keeps its address.
    ...(podIP && { podIP }),
    ...(podIPs && { podIPs }),
  };
}

/**
 * The status with these containers as if the last run had not happened: their last state is that of the previous run.
 */
function beforeRestart(status: PodStatus, names: ReadonlySet<string>): PodStatus {
  if (names.size === 0) return status;
  const asNew = (one: ContainerStatus) => (names.has(one.name) ? { ...one, state: {}, lastState: {} } : one);
  const { initContainerStatuses, containerStatuses: regular } = status;
  return {
    ...status,
    ...(initContainerStatuses && { initContainerStatuses: initContainerStatuses.map(asNew) }),
    ...(regular && { containerStatuses: regular.map(asNew) }),
  };
}

/** A terminal phase is final. */
function phaseOf({ pod, state, terminal, failure }: PodStatusInput, status: PodStatus): string {
  const before = pod.status?.phase;
  if (before !== undefined && isTerminalPhase(before)) return before;
  if (!terminal && containersToReset(pod, state).length > 0) return before ?? 'Pending';
  const phase = podPhase(pod, terminal ? status : beforeRestart(status, containersToRestart(pod, state)), terminal);
  return failure && phase !== 'Running' ? 'Failed' : phase;
}
