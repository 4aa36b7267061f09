import type { ContainerStatus as ApiStatus, Pod } from '@coracle/api';
import type { ApiResponse } from '@coracle/apimachinery';
import type { Clock } from '@coracle/base';
import { ContainerState, type ContainerStatus, isCriError, type RuntimeService } from '@coracle/cri';
import { podSelector } from '../runtime-labels.js';
import { textResponse } from '../streaming/refusal.js';
import type { LogOptions } from './log-options.js';
import { logResponse } from './log-response.js';
import type { LogSource } from './log-source.js';
import { readLog } from './read-log.js';

export interface ContainerLogParts {
  readonly runtime: RuntimeService;
  readonly logs: LogSource;
  readonly clock: Clock;
}

export interface ContainerLogRequest {
  readonly pod: Pod;
  readonly container: string;
  readonly options: LogOptions;
  readonly signal: AbortSignal;
}

/** Responds with the log of a container, or with the reason why there is none. */
export async function containerLog(parts: ContainerLogParts, request: ContainerLogRequest): Promise<ApiResponse> {
  const { pod, container, options, signal } = request;
  if (!containerNames(pod).includes(container))
    return textResponse(
      404,
      `container ${JSON.stringify(container)} not found in pod ${JSON.stringify(pod.metadata.name)}`,
    );
  const problem = whyNoLog(pod, container, options.previous);
  if (problem !== undefined) return textResponse(400, problem);
  const instance = await instanceOf(parts.runtime, request);
  const file = instance && (await parts.logs.open(instance));
  if (!file) return textResponse(400, unavailable(pod, container, options.previous));
  const isRunning = () => stillRuns(parts.runtime, instance.id ?? '');
  return logResponse(readLog(file, { ...options, clock: parts.clock, signal, isRunning }), options.follow);
}

function containerNames({ spec }: Pod): string[] {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {};
  return [...containers, ...initContainers, ...ephemeralContainers].map(({ name }) => name);
}

function unavailable({ metadata }: Pod, container: string, previous: boolean): string {
  const [name, pod] = [JSON.stringify(container), JSON.stringify(metadata.name)];
  return previous
    ? `previous terminated container ${name} in pod ${pod} not found`
    : `container ${name} in pod ${pod} is not available`;
}

const pullProblems: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
};

/** The termination message of a container without output, in the pod's status. */
function whyNoLog(pod: Pod, container: string, previous: boolean): string | undefined {
  const status = statusOf(pod, container);
  if (previous) return status?.lastState?.terminated?.containerID ? undefined : unavailable(pod, container, true);
  const { waiting, running, terminated } = status?.state ?? {};
  if (running ?? terminated?.containerID ?? status?.lastState?.terminated?.containerID) return undefined;
  const start = `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod.metadata.name)} is`;
  if (waiting) return `${start} waiting to start: ${pullProblems[waiting.reason ?? ''] ?? waiting.reason}`;
  return unavailable(pod, container, false);
}

function statusOf({ status }: Pod, container: string): ApiStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status ?? {};
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(
    ({ name }) => name === container,
  );
}

/** The newest instance, or the previous one. */
async function instanceOf(
  runtime: RuntimeService,
  { pod, container, options }: ContainerLogRequest,
): Promise<ContainerStatus | undefined> {
  const { namespace = '', name = '', uid } = pod.metadata;
  const labelSelector = podSelector({ namespace, pod: name, container });
  const { containers = [] } = await runtime.listContainers({ filter: { labelSelector } });
  const own = containers.filter(({ labels }) => uid === undefined || labels?.['io.kubernetes.pod.uid'] === uid);
  own.sort((one, other) => (other.createdAt ?? 0) - (one.createdAt ?? 0));
  const made = own.filter(({ state }) => state !== ContainerState.CONTAINER_CREATED);
  const chosen = made[options.previous ? 1 : 0];
  return chosen?.id === undefined ? undefined : (await runtime.containerStatus({ containerId: chosen.id })).status;
}

async function stillRuns(runtime: RuntimeService, containerId: string): Promise<boolean> {
  try {
    const { status } = await runtime.containerStatus({ containerId });
    return status?.state === ContainerState.CONTAINER_RUNNING || status?.state === ContainerState.CONTAINER_CREATED;
  } catch (error) {
    if (isCriError(error, 'NotFound')) return false;
    throw error;
  }
}
