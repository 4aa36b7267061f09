import type { resourcev1 } from '@coracle/api';
import { formatTime } from '@coracle/apimachinery';
import type { StrategyContext } from '../strategy.js';

/** Sets `timeAdded`, from which `tolerationSeconds` count, unless the client has set it. */
export function stampTaint(taint: resourcev1.DeviceTaint | undefined, { clock }: StrategyContext): void {
  if (taint) taint.timeAdded ??= formatTime(clock.now());
}
