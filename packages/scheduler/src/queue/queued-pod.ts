import type { Millis } from '@coracle/base';
import type { PodInfo } from '../cache/pod-info.js';

/** A pod on its way through the queue. */
export interface QueuedPod {
  info: PodInfo;
  /** When it was last put into the queue. */
  queuedAt: Millis;
  /** Tells apart pods that were put there at the same instant. */
  sequence: number;
  /** How often it was tried, which its backoff grows with. */
  attempts: number;
  /** The plugins that refused it last: only events that concern them wake it. */
  refusedBy: ReadonlySet<string>;
  /** Kept out by this plugin, which has not let it be tried. */
  gatedBy?: string;
}
