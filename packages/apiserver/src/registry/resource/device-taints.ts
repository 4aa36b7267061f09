import type { resourcev1 } from '@coracle/api';
import { formatTime } from '@coracle/apimachinery';
import type { StrategyContext } from '../strategy.js';

/** Pods are given a while to leave from when a taint came, which need not be said. */
export function stampTaint(taint: resourcev1.DeviceTaint | undefined, { clock }: StrategyContext): void {
  if (taint) taint.timeAdded ??= formatTime(clock.now());
}
