import {
  type ContainerStats,
  isCriError,
  PodSandboxState,
  type PodSandboxStats,
  type RuntimeService,
} from '@coracle/cri';
import { podUidLabel } from '../runtime-labels.js';

/** The part of a runtime that statistics use. */
export type StatsRuntime = Pick<
  RuntimeService,
  'listPodSandboxStats' | 'listPodSandbox' | 'podSandboxStats' | 'listContainerStats'
>;

/** Statistics of sandboxes from the runtime, by the uid of the pod. */
export async function readSandboxStats(runtime: StatsRuntime): Promise<Map<string, PodSandboxStats>> {
  try {
    const { stats = [] } = await runtime.listPodSandboxStats({});
    return byPod(stats);
  } catch (error) {
    if (isCriError(error, 'Unimplemented')) return fromContainers(await containerStats(runtime));
    // Some runtimes fail the whole list while one sandbox is being removed.
    return byPod(await oneByOne(runtime));
  }
}

function byPod(stats: readonly PodSandboxStats[]): Map<string, PodSandboxStats> {
  return new Map(
    stats.map((one) => [one.attributes?.labels?.[podUidLabel] ?? one.attributes?.metadata?.uid ?? '', one]),
  );
}

async function oneByOne(runtime: StatsRuntime): Promise<PodSandboxStats[]> {
  const { items = [] } = await runtime.listPodSandbox({ filter: { state: { state: PodSandboxState.SANDBOX_READY } } });
  const responses = items.map(({ id = '' }) => runtime.podSandboxStats({ podSandboxId: id }));
  const answers = await Promise.allSettled(responses);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' && answer.value.stats ? [answer.value.stats] : []));
}

async function containerStats(runtime: StatsRuntime): Promise<readonly ContainerStats[]> {
  try {
    return (await runtime.listContainerStats({})).stats ?? [];
  } catch (error) {
    if (isCriError(error, 'Unimplemented')) return [];
    throw error;
  }
}

/** For runtimes that report only containers. */
function fromContainers(stats: readonly ContainerStats[]): Map<string, PodSandboxStats> {
  const pods = new Map<string, ContainerStats[]>();
  for (const one of stats) {
    const uid = one.attributes?.labels?.[podUidLabel] ?? '';
    pods.set(uid, [...(pods.get(uid) ?? []), one]);
  }
  return new Map([...pods].map(([uid, containers]) => [uid, { linux: { containers } }]));
}
