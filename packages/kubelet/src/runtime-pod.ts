import type { Pod } from '@coracle/api';
import {
  ContainerState,
  type ContainerStatus,
  isCriError,
  PodSandboxState,
  type PodSandboxStatus,
  type RuntimeService,
} from '@coracle/cri';

/** The state of a pod in the runtime. */
export interface RuntimePod {
  /** Newest first; more than one after a sandbox has died. */
  readonly sandboxes: readonly PodSandboxStatus[];
  /** The containers of all its sandboxes, newest first. */
  readonly containers: readonly ContainerStatus[];
  /** Time of the state by the clock of the runtime, in nanoseconds; 0 if it reports none. */
  readonly observedAt: number;
}

export const nothingRuns: RuntimePod = Object.freeze({ sandboxes: [], containers: [], observedAt: 0 });

/** Reads a pod from the runtime by its sandboxes. Removed sandboxes are left out. */
export async function readRuntimePod(runtime: RuntimeService, sandboxIds: readonly string[]): Promise<RuntimePod> {
  if (sandboxIds.length === 0) return nothingRuns;
  const answers = await Promise.all(sandboxIds.map((podSandboxId) => readSandbox(runtime, podSandboxId)));
  const found = answers.filter((answer) => answer !== undefined);
  return {
    sandboxes: found.map(({ status }) => status).sort(newestFirst),
    containers: found.flatMap(({ containers }) => containers).sort(newestFirst),
    observedAt: Math.min(...found.map(({ timestamp }) => timestamp)),
  };
}

async function readSandbox(runtime: RuntimeService, podSandboxId: string) {
  try {
    const answer = await runtime.podSandboxStatus({ podSandboxId });
    const { status = {}, timestamp = 0, containersStatuses } = answer;
    return { status, timestamp, containers: containersStatuses ?? (await readContainers(runtime, podSandboxId)) };
  } catch (error) {
    if (isCriError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** For runtimes whose sandbox status does not include containers. */
async function readContainers(runtime: RuntimeService, podSandboxId: string): Promise<ContainerStatus[]> {
  const { containers = [] } = await runtime.listContainers({ filter: { podSandboxId } });
  const answers = await Promise.all(containers.map(({ id = '' }) => runtime.containerStatus({ containerId: id })));
  return answers.flatMap(({ status }) => (status ? [status] : []));
}

function newestFirst(a: { readonly createdAt?: number }, b: { readonly createdAt?: number }): number {
  return (b.createdAt ?? 0) - (a.createdAt ?? 0);
}

export function newestContainer({ containers }: RuntimePod, name: string): ContainerStatus | undefined {
  return containers.find(({ metadata }) => metadata?.name === name);
}

export function isReady(sandbox: PodSandboxStatus): boolean {
  return sandbox.state === PodSandboxState.SANDBOX_READY;
}

/** Created but never started: either it is about to start, or the kubelet was killed before it was started. */
export function hasNeverRun({ state, reason, message = '' }: ContainerStatus): boolean {
  if (state === ContainerState.CONTAINER_CREATED) return true;
  return state === ContainerState.CONTAINER_EXITED && reason === 'StartError' && /context canceled/.test(message);
}

export function isRunning(container: ContainerStatus | undefined): boolean {
  return container?.state === ContainerState.CONTAINER_RUNNING;
}

export function runningContainers({ containers }: RuntimePod): readonly ContainerStatus[] {
  return containers.filter(isRunning);
}

/** The addresses of the pod's newest ready sandbox. */
export function addressesOf({ sandboxes }: RuntimePod): readonly string[] {
  const { ip, additionalIps = [] } = sandboxes.find(isReady)?.network ?? sandboxes[0]?.network ?? {};
  return ip ? [ip, ...additionalIps.map((one) => one.ip ?? '')] : [];
}

/** The pod's IPs: its own, or the node's if it uses the host network. */
export function podAddresses(pod: Pod, state: RuntimePod, hostIps: readonly string[]): readonly string[] {
  return pod.spec?.hostNetwork ? hostIps : addressesOf(state);
}

/** CRI uses nanoseconds; milliseconds are precise enough here. */
export function millisOf(nanos: number | undefined): number {
  return Math.floor((nanos ?? 0) / 1e6);
}
