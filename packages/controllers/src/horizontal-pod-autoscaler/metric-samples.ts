import type { Millis } from '@coracle/base';

/** What one pod used, in thousandths. */
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

/** A value that is not of single pods, in thousandths. */
export interface SampledValue {
  readonly value: number;
  readonly at: Millis;
}
