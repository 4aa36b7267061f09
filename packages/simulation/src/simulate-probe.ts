import type { Millis } from '@coracle/base';
import type { ProbeRequest, ProbeResult } from '@coracle/kubelet';
import type { SimulatedContainer } from './simulated-container.js';

/** The result of a probe of a container's port. */
export function probe(container: SimulatedContainer, { kind }: ProbeRequest, now: Millis): ProbeResult {
  return isFailing(container, now, kind === 'liveness')
    ? { outcome: 'failure', output: 'HTTP probe failed with statuscode: 503' }
    : { outcome: 'success', output: '' };
}

/** Whether its annotations say that its probes fail now. */
export function isFailing(container: SimulatedContainer, now: Millis, onlyLiveness = false): boolean {
  return isIll(container, now) || (!onlyLiveness && isNotReady(container, now));
}

function isIll({ behaviour, startedAtMs }: SimulatedContainer, now: Millis): boolean {
  return behaviour.unhealthyAfterMs !== undefined && now - startedAtMs >= behaviour.unhealthyAfterMs;
}

function isNotReady({ behaviour, startedAtMs }: SimulatedContainer, now: Millis): boolean {
  return now - startedAtMs < behaviour.readyDelayMs;
}
