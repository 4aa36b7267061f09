import { type Fields, numberAt, recordAt, recordsAt, textAt } from '../values.js';

/** Why a pod is not ready, from its own status, the first obstacle first. */
export function reasonsOfPod(pod: Fields): string[] {
  const status = recordAt(pod, 'status');
  const reasons: string[] = [];
  const condition = (type: string) =>
    recordsAt(status, 'conditions').find((one) => one['type'] === type && one['status'] !== 'True');
  const gates = recordsAt(pod, 'spec', 'schedulingGates').map((one) => textAt(one, 'name'));
  if (gates.length > 0) reasons.push(`it waits for the scheduling gates ${gates.join(', ')}`);
  const scheduled = condition('PodScheduled');
  if (scheduled && gates.length === 0)
    reasons.push(`it is not scheduled: ${textAt(scheduled, 'message') || textAt(scheduled, 'reason')}`);
  else if (textAt(pod, 'spec', 'nodeName') === '' && gates.length === 0)
    reasons.push(
      `it is not scheduled: the scheduler ${JSON.stringify(textAt(pod, 'spec', 'schedulerName'))} has not looked at it yet`,
    );
  const phase = textAt(status, 'phase');
  if (phase === 'Failed')
    reasons.push(`it failed: ${textAt(status, 'message') || textAt(status, 'reason') || 'a container failed'}`);
  for (const field of ['initContainerStatuses', 'containerStatuses'])
    for (const container of recordsAt(status, field)) reasons.push(...reasonsOfContainer(container));
  const ready = condition('Ready');
  if (reasons.length === 0 && ready)
    reasons.push(`it is not ready: ${textAt(ready, 'message') || textAt(ready, 'reason')}`);
  if (textAt(pod, 'metadata', 'deletionTimestamp') !== '') {
    const finalizers = Array.isArray(recordAt(pod, 'metadata')['finalizers'])
      ? (recordAt(pod, 'metadata')['finalizers'] as string[])
      : [];
    reasons.push(
      finalizers.length > 0
        ? `it is being deleted and waits for the finalizers ${finalizers.join(', ')}`
        : 'it is being deleted',
    );
  }
  return reasons;
}

function reasonsOfContainer(container: Fields): string[] {
  const name = textAt(container, 'name');
  const waiting = recordAt(container, 'state', 'waiting');
  const last = recordAt(container, 'lastState', 'terminated');
  const restarts = numberAt(container, 'restartCount') ?? 0;
  if (textAt(waiting, 'reason') !== '' && textAt(waiting, 'reason') !== 'PodInitializing') {
    const ended =
      textAt(last, 'reason') === ''
        ? ''
        : `; it ended last with ${textAt(last, 'reason')} (exit code ${textAt(last, 'exitCode')})`;
    return [
      `container ${name} waits: ${textAt(waiting, 'reason')}${textAt(waiting, 'message') ? `: ${textAt(waiting, 'message')}` : ''}${ended}${restarts > 0 ? `, ${restarts} restarts` : ''}`,
    ];
  }
  const terminated = recordAt(container, 'state', 'terminated');
  const code = numberAt(terminated, 'exitCode') ?? 0;
  if (code !== 0)
    return [`container ${name} ended with ${textAt(terminated, 'reason') || 'an error'} (exit code ${code})`];
  if (recordAt(container, 'state')['running'] && container['ready'] === false)
    return [`container ${name} runs but is not ready: its readiness probe has not succeeded`];
  return [];
}
