import type { Millis } from '@coracle/base';

/** Usage of one pod, in thousandths. */
export interface PodSample {
  readonly value: number;
  readonly at: Millis;
  readonly windowMs: Millis;
}

/** By the name of the pod. */
export type PodSamples = ReadonlyMap<string, PodSample>;

export interface SampledPods {
  readonly samples: PodSamples;
  readonly at: Millis;
}

/** A value that is not per pod, in thousandths. */
export interface SampledValue {
  readonly value: number;
  readonly at: Millis;
}
