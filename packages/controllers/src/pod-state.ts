import { isTerminalPod, type Pod } from '@coracle/api';
import { parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

/** Neither terminated nor terminating. */
export function isActive(pod: Pod): boolean {
  return !isTerminalPod(pod) && pod.metadata.deletionTimestamp === undefined;
}

export function isTerminating(pod: Pod): boolean {
  return !isTerminalPod(pod) && pod.metadata.deletionTimestamp !== undefined;
}

export function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}

/** When the pod became ready, if it is. */
export function readySince({ status }: Pod): Millis | undefined {
  const ready = status?.conditions?.find(({ type, status: value }) => type === 'Ready' && value === 'True');
  return ready?.lastTransitionTime === undefined ? undefined : parseTime(ready.lastTransitionTime);
}

/** Ready for at least this long. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: Millis): boolean {
  if (!isReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = readySince(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= now;
}

/** Milliseconds until the pod counts as available; `undefined` if it does not become available by time alone. */
export function availableIn(pod: Pod, minReadySeconds: number, now: Millis): Millis | undefined {
  // Called for every pod at every sync, so the clock is read only if necessary.
  const since = minReadySeconds === 0 ? undefined : readySince(pod);
  if (since === undefined) return undefined;
  const left = since + minReadySeconds * 1000 - now;
  return left > 0 ? left : undefined;
}

/** Maximum number of restarts of a container, for main containers and for sidecars. */
export function restartCounts({ spec, status }: Pod): { readonly containers: number; readonly sidecars: number } {
  const names = new Set(
    (spec?.initContainers ?? []).flatMap((one) => (one.restartPolicy === 'Always' ? [one.name] : [])),
  );
  const most = (statuses: readonly { readonly restartCount?: number }[]) =>
    statuses.reduce((highest, { restartCount = 0 }) => Math.max(highest, restartCount), 0);
  return {
    containers: most(status?.containerStatuses ?? []),
    sidecars: most((status?.initContainerStatuses ?? []).filter(({ name }) => names.has(name))),
  };
}
