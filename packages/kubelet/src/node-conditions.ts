import type { NodeCondition } from '@coracle/api';
import { findCondition, formatTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { RuntimeCondition } from '@coracle/cri';

type Verdict = Pick<NodeCondition, 'type' | 'status' | 'reason' | 'message'>;

/** The conditions of a node that has room, and whose runtime says so of itself. Ready comes last. */
export function nodeConditions(
  runtime: readonly RuntimeCondition[],
  previous: readonly NodeCondition[],
  now: Millis,
): NodeCondition[] {
  const own = [
    fine('MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
    fine('DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
    fine('PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
    readiness(runtime),
  ].map((said): NodeCondition => {
    const before = findCondition(previous, said.type);
    const unchanged = before?.status === said.status && before.lastTransitionTime;
    return { ...said, lastHeartbeatTime: formatTime(now), lastTransitionTime: unchanged || formatTime(now) };
  });
  const types = new Set(own.map(({ type }) => type));
  return [...previous.filter(({ type }) => !types.has(type)), ...own];
}

function fine(type: string, reason: string, message: string): Verdict {
  return { type, status: 'False', reason, message };
}

function readiness(runtime: readonly RuntimeCondition[]): Verdict {
  const problems = [
    ['RuntimeReady', 'container runtime not ready'],
    ['NetworkReady', 'container runtime network not ready'],
  ].flatMap(([type = '', text]) => {
    const condition = runtime.find((one) => one.type === type);
    if (condition?.status) return [];
    const { reason = '', message = '' } = condition ?? {};
    return `${text}: ${type}=false reason:${reason} message:${message}`;
  });
  return problems.length === 0
    ? { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' }
    : { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: aggregate(problems) };
}

/** Several problems stand in brackets, one stands alone. */
function aggregate(problems: readonly string[]): string {
  return problems.length === 1 ? problems.join() : `[${problems.join(', ')}]`;
}
