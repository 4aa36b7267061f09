import type { Pod } from '@coracle/api';
import { type Millis, messageOf } from '@coracle/base';
import { podReference } from '../container-reference.js';
import type { KubeletParts } from '../kubelet-parts.js';
import { type PodFailure, rejectionOf } from '../pod-failure.js';
import { PinningError } from '../topology/pinning-error.js';

const claimsRetryMs: Millis = 10_000;

/** Allocates the devices that the pod's containers request; returns the failure of the pod otherwise. */
export async function prepareDevices(
  { devices, claims, pinning, recorder }: Pick<KubeletParts, 'devices' | 'claims' | 'pinning' | 'recorder'>,
  pod: Pod,
): Promise<{ readonly retryMs: Millis | undefined; readonly failure?: PodFailure } | undefined> {
  try {
    // If the topology of the machine is known, devices are allocated together with CPUs and memory.
    await (pinning ?? devices)?.prepare(pod);
  } catch (error) {
    const failure = refusal(error);
    recorder.event(podReference(pod), 'Warning', failure.reason, failure.message);
    return { retryMs: undefined, failure: rejectionOf(failure) };
  }
  try {
    await claims?.prepare(pod);
    return undefined;
  } catch (error) {
    const message = `Failed to prepare dynamic resources: ${messageOf(error)}`;
    recorder.event(podReference(pod), 'Warning', 'FailedPrepareDynamicResources', message);
    return { retryMs: claimsRetryMs };
  }
}

function refusal(error: unknown): PodFailure {
  if (error instanceof PinningError) return { reason: error.reason, message: error.message };
  const message = `Allocate failed due to ${messageOf(error)}, which is unexpected`;
  return { reason: 'UnexpectedAdmissionError', message };
}
