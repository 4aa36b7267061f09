import { type ContainerStatus, mayRestartAll, type Pod, type PodStatus } from '@coracle/api';
import { parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

/** The last run of a container that was removed from the runtime. */
export interface EarlierRun {
  readonly attempt: number;
  /** For the back-off of a container that was removed in order to start again. */
  readonly endedAt: Millis | undefined;
}

/** The status of the last run of a container; `undefined` if it has never run. */
export function earlierRun({ spec }: Pod, status: PodStatus, name: string): EarlierRun | undefined {
  const statuses = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const found = statuses.find((one) => one.name === name);
  if (!found || !hasRun(found)) return undefined;
  const finishedAt = spec && mayRestartAll(spec) ? endOf(found)?.finishedAt : undefined;
  return { attempt: found.restartCount, endedAt: finishedAt === undefined ? undefined : parseTime(finishedAt) };
}

function hasRun(status: ContainerStatus): boolean {
  return status.state?.running !== undefined || endOf(status) !== undefined;
}

function endOf({ state, lastState }: ContainerStatus) {
  return state?.terminated ?? lastState?.terminated;
}
