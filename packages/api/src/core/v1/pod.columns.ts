import { formatAge, isConditionTrue, type TableRowCondition } from '@coracle/apimachinery';
import { none } from '../../columns/cell-text.js';
import { age, name, tablePrinter, text, timed, wide } from '../../columns/table-printer.js';
import type { ContainerStatus, Pod } from '../../generated/types/core-v1.js';
import { isSidecar, podStatusWord, stoppedInitContainer } from './pod-status-word.js';

export const podPrinter = tablePrinter<Pod>(
  [
    name,
    text('Ready', 'How many of the containers that stay are ready.', readyContainers),
    text('Status', 'What the pod and its containers do, in a word.', podStatusWord),
    timed('Restarts', 'How often the containers were started again, and when last.', restarts),
    age,
    wide(text('IP', 'The first address of the pod.', ({ status }) => status?.podIPs?.[0]?.ip || none)),
    wide(text('Node', 'The node that the pod runs on.', ({ spec }) => spec?.nodeName || none)),
    wide(
      text(
        'Nominated Node',
        'The node on which room is being made.',
        ({ status }) => status?.nominatedNodeName || none,
      ),
    ),
    wide(text('Readiness Gates', 'How many of the readiness gates are passed.', readinessGates)),
  ],
  { conditions: ({ status }) => completed[status?.phase ?? ''] },
);

const completed: Readonly<Record<string, readonly TableRowCondition[]>> = {
  Succeeded: [
    { type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' },
  ],
  Failed: [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }],
};

function readyContainers(pod: Pod): string {
  const { spec, status } = pod;
  let total = spec?.containers.length ?? 0;
  for (const container of spec?.initContainers ?? []) if (container.restartPolicy === 'Always') total++;
  return `${readySidecars(pod) + (isInitialized(pod) ? countReady(status?.containerStatuses) : 0)}/${total}`;
}

function readySidecars(pod: Pod): number {
  const statuses = initStatusesSoFar(pod);
  let ready = 0;
  for (const status of statuses) {
    if (status.ready && status.started && !hasSucceeded(status) && isSidecar(pod, status.name)) ready++;
  }
  return ready;
}

function countReady(statuses: readonly ContainerStatus[] | undefined): number {
  let ready = 0;
  for (const { ready: isReady, state } of statuses ?? []) if (isReady && state?.running) ready++;
  return ready;
}

function restarts(pod: Pod, now: number): string {
  const counted = countedStatuses(pod);
  let count = 0;
  let last = '';
  for (const { restartCount, lastState } of counted) {
    count += restartCount;
    const finishedAt = lastState?.terminated?.finishedAt;
    if (finishedAt && finishedAt > last) last = finishedAt;
  }
  return count === 0 || last === '' ? String(count) : `${count} (${formatAge(last, now)} ago)`;
}

/** While a pod initializes its init containers count; later only those that stay, and the others. */
function countedStatuses(pod: Pod): readonly ContainerStatus[] {
  const { initContainerStatuses, containerStatuses = [] } = pod.status ?? {};
  if (!initContainerStatuses?.length) return containerStatuses;
  const soFar = initStatusesSoFar(pod);
  if (!isInitialized(pod)) return soFar;
  return [...soFar.filter((status) => isSidecar(pod, status.name)), ...containerStatuses];
}

/** The init containers up to the one that the pod waits for. */
function initStatusesSoFar(pod: Pod): readonly ContainerStatus[] {
  const statuses = pod.status?.initContainerStatuses;
  if (!statuses?.length) return [];
  const stopped = stoppedInitContainer(pod);
  return stopped === undefined ? statuses : statuses.slice(0, stopped + 1);
}

function isInitialized(pod: Pod): boolean {
  return stoppedInitContainer(pod) === undefined || isConditionTrue(pod.status?.conditions, 'Initialized');
}

function hasSucceeded({ state }: ContainerStatus): boolean {
  return state?.terminated?.exitCode === 0;
}

function readinessGates({ spec, status }: Pod): string {
  const gates = spec?.readinessGates;
  if (!gates?.length) return none;
  const passed = gates.filter(({ conditionType }) => isConditionTrue(status?.conditions, conditionType));
  return `${passed.length}/${gates.length}`;
}
