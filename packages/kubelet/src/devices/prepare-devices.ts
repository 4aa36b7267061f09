import type { Pod } from '@coracle/api';
import { type Millis, messageOf } from '@coracle/base';
import { podReference } from '../container-reference.js';
import type { KubeletParts } from '../kubelet-parts.js';
import type { PodFailure } from '../pod-failure.js';

const claimsRetryMs: Millis = 10_000;

/** Gets the devices that the pod's containers ask for; otherwise what becomes of the pod. */
export async function prepareDevices(
  { devices, claims, recorder }: Pick<KubeletParts, 'devices' | 'claims' | 'recorder'>,
  pod: Pod,
): Promise<{ readonly retryMs: Millis | undefined; readonly failure?: PodFailure } | undefined> {
  try {
    await devices?.prepare(pod);
  } catch (error) {
    const message = `Pod was rejected: Allocate failed due to ${messageOf(error)}, which is unexpected`;
    recorder.event(podReference(pod), 'Warning', 'UnexpectedAdmissionError', message);
    return { retryMs: undefined, failure: { reason: 'UnexpectedAdmissionError', message } };
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
