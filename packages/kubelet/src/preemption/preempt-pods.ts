import type { Pod } from '@coracle/api';
import { type Clock, type Metrics, type Millis, noMetrics, sleep } from '@coracle/base';
import type { EventRecorder } from '@coracle/client';
import type { PodRejection, ResourceShortage } from '../admit-pod.js';
import { podReference } from '../container-reference.js';
import { isCritical } from '../eviction/is-critical.js';
import type { PodFailure } from '../pod-failure.js';
import { graceOf } from '../terminate-pod.js';
import { chooseVictims } from './choose-victims.js';

export interface PreemptionParts {
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  readonly metrics?: Metrics | undefined;
  /** Fails a pod within its own grace period; resolves when none of its containers runs any more. */
  readonly evict: (pod: Pod, failure: PodFailure) => Promise<void>;
}

/** Pods that terminate for a critical one. */
export interface Preemption {
  readonly victims: readonly Pod[];
  /** The missing resource; the first, if there are several. */
  readonly resource: string;
}

/** The result for a pod that the node rejects. */
export type Recovery = { readonly refusal: PodRejection } | Preemption;

const message = 'Preempted in order to admit critical pod';
const preempted: PodFailure = {
  reason: 'Preempting',
  message,
  disruption: {
    reason: 'TerminationByKubelet',
    message: 'Pod was preempted by Kubelet to accommodate a critical pod.',
  },
};

/** A critical pod is not rejected for lack of resources that other pods could release. `refusals` is not empty. */
export function recoveryOf(
  pod: Pod,
  refusals: readonly [PodRejection, ...PodRejection[]],
  pods: readonly Pod[],
): Recovery {
  const [first] = refusals;
  if (!isCritical(pod)) return { refusal: first };
  const other = refusals.find(({ shortage }) => !shortage);
  if (other) return { refusal: other };
  const shortages = refusals.flatMap(({ shortage }) => shortage ?? []);
  const choice = chooseVictims(pod, pods, shortages);
  if ('missing' in choice) return { refusal: nothingToPreempt(choice.missing) };
  return { victims: choice.victims, resource: shortages[0]?.resource ?? '' };
}

function nothingToPreempt(missing: readonly ResourceShortage[]): PodRejection {
  const list = missing.map(({ resource, amount }) => `(res: ${resource}, q: ${amount}), `).join('');
  const why = `no set of running pods found to reclaim resources: [${list}]`;
  return {
    reason: 'UnexpectedAdmissionError',
    message: `Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: ${why}`,
  };
}

/**
 * Terminates the victims one after the other. One that does not end in time continues to terminate beside its
 * replacement.
 */
export async function preemptPods(
  parts: PreemptionParts,
  { victims, resource }: Preemption,
  signal: AbortSignal,
): Promise<void> {
  const { clock, recorder, metrics = noMetrics, evict } = parts;
  const counter = metrics.counter({
    name: 'kubelet_preemptions',
    help: 'Cumulative number of pod preemptions by preemption resource',
    labels: ['preemption_signal'],
  });
  for (const pod of victims) {
    if (signal.aborted) return;
    recorder.event(podReference(pod), 'Warning', preempted.reason, message);
    const aborter = new AbortController();
    const ended = evict(pod, preempted).then(
      () => true,
      () => false,
    );
    const late = sleep(clock, patienceFor(pod), AbortSignal.any([aborter.signal, signal])).then(
      () => false,
      () => false,
    );
    if (await Promise.race([ended, late])) counter.add(1, { preemption_signal: resource });
    aborter.abort();
  }
}

const leastPatienceMs: Millis = 10_000;

function patienceFor(pod: Pod): Millis {
  return Math.max(leastPatienceMs, graceOf(pod) * 1_500);
}
