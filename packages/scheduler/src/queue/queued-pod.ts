import type { Millis } from '@coracle/base';
import type { PodInfo } from '../cache/pod-info.js';

/** A pod in the queue. */
export interface QueuedPod {
  info: PodInfo;
  /** When it was last added to the queue. */
  queuedAt: Millis;
  /** Orders pods that were queued at the same instant. */
  sequence: number;
  /** When it was first added. */
  readonly firstQueuedAt: Millis;
  /** Number of attempts. */
  attempts: number;
  /** Number of rejections, and of consecutive errors: they determine the backoff. */
  refusals: number;
  errorsInRow: number;
  /** The plugins that rejected it last: only events that concern them requeue it. */
  refusedBy: ReadonlySet<string>;
  /** The PreEnqueue plugin that gates it. */
  gatedBy?: string;
}
