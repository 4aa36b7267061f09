import type { Millis } from '@coracle/base';
import type { ExecSyncResponse } from '@coracle/cri';
import type { ProbeRequest, ProbeResult } from '@coracle/kubelet';
import { simulateCommand } from './simulate-command.js';
import type { SimulatedContainer } from './simulated-container.js';

/** What a probe of the container's port finds. */
export function probe(container: SimulatedContainer, { kind }: ProbeRequest, now: Millis): ProbeResult {
  const failing = isIll(container, now) || (kind !== 'liveness' && isNotReady(container, now));
  return failing
    ? { outcome: 'failure', output: 'HTTP probe failed with statuscode: 503' }
    : { outcome: 'success', output: '' };
}

/** The result of a command within the container. An unknown one succeeds as soon as the container is ready. */
export function execute(container: SimulatedContainer, command: readonly string[], now: Millis): ExecSyncResponse {
  const played = simulateCommand(command);
  const failing = isIll(container, now) || isNotReady(container, now);
  const exitCode = played?.end?.exitCode ?? (failing ? 1 : 0);
  const output = (played?.says ?? []).map(({ text }) => text).join('');
  return { stdout: new TextEncoder().encode(output), stderr: new Uint8Array(), exitCode };
}

function isIll({ behaviour, startedAtMs }: SimulatedContainer, now: Millis): boolean {
  return behaviour.unhealthyAfterMs !== undefined && now - startedAtMs >= behaviour.unhealthyAfterMs;
}

function isNotReady({ behaviour, startedAtMs }: SimulatedContainer, now: Millis): boolean {
  return now - startedAtMs < behaviour.readyDelayMs;
}
