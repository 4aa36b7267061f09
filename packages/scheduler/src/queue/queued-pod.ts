import type { Millis } from '@coracle/base';
import type { PodInfo } from '../cache/pod-info.js';

/** A pod in the queue. */
export interface QueuedPod {
  info: PodInfo;
  /** When it was last put into the queue. */
  queuedAt: Millis;
  /** Distinguishes pods that were queued at the same instant. */
  sequence: number;
  /** When it first came. */
  readonly firstQueuedAt: Millis;
  /** How often it was tried. */
  attempts: number;
  /** How often it was refused, and how often in a row something went wrong: its backoff grows with these. */
  refusals: number;
  errorsInRow: number;
  /** The plugins that refused it last: only events that concern them wake it. */
  refusedBy: ReadonlySet<string>;
  /** Gated by this PreEnqueue plugin. */
  gatedBy?: string;
}
