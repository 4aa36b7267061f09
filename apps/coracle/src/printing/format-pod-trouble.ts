import type { ContainerStatus, Pod } from '@coracle/api';

/** An event about a pod. */
export interface PodEvent {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Why a pod on a node is not ready; nothing for one that is ready or has completed. */
export function formatPodTrouble({ spec, status = {} }: Pod, events: readonly PodEvent[]): string[] {
  const isReady = status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True');
  if (!spec?.nodeName || isReady || status.phase === 'Succeeded') return [];
  const lines = [
    ...(status.reason ? [`  ${withMessage(status.reason, status.message)}`] : []),
    ...[...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].flatMap(troubleOf),
    ...latestWarnings(events).map(({ reason = '', message }) => `  event ${withMessage(reason, message)}`),
  ];
  return lines.length > 0 ? ['', 'Why it is not ready:', ...lines] : [];
}

function troubleOf({ name, ready, state = {}, lastState }: ContainerStatus): string[] {
  const ended = state.terminated ?? lastState?.terminated;
  const texts: string[] = [];
  if (state.waiting) texts.push(withMessage(state.waiting.reason ?? 'waiting', state.waiting.message));
  else if (state.running && !ready) texts.push('running, but not ready');
  if (ended && ended.exitCode !== 0)
    texts.push(`ended with exit code ${ended.exitCode}: ${withMessage(ended.reason ?? 'Error', ended.message)}`);
  return texts.map((text) => `  container ${name}  ${text}`);
}

/** One of each reason: a later one repeats or corrects an earlier one. */
function latestWarnings(events: readonly PodEvent[]): PodEvent[] {
  // Where the scheduler found no place, the attempts say it.
  const warnings = events.filter(({ type, reason }) => type === 'Warning' && reason !== 'FailedScheduling');
  return [...new Map(warnings.map((event) => [event.reason, event])).values()];
}

function withMessage(reason: string, message = ''): string {
  return message.trim() === '' ? reason : `${reason}: ${message.trim()}`;
}
