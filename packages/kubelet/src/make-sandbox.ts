import type { Pod } from '@coracle/api';
import { messageOf } from '@coracle/base';
import { type PodSandboxConfig, rpcTextOf } from '@coracle/cri';
import { podReference } from './container-reference.js';
import type { Needs } from './kubelet-parts.js';
import { type ObserveParts, observe, type PodWork } from './pod-work.js';
import { podDns } from './runtime-config/dns-config.js';
import { sandboxConfig } from './runtime-config/sandbox-config.js';
import { refuseUsers } from './user-namespaces.js';

export interface Sandbox {
  readonly id: string;
  readonly config: PodSandboxConfig;
}

type SandboxConfigParts = Needs<'cgroups' | 'settings' | 'recorder' | 'nodeDns' | 'userNamespaces'>;
export type SandboxParts = SandboxConfigParts & ObserveParts & Needs<'tracer' | 'references' | 'health' | 'counts'>;

/** The existing sandbox; `undefined` if the cgroup of the pod could not be created. */
export async function currentSandbox(parts: SandboxConfigParts, { pod, state }: PodWork): Promise<Sandbox | undefined> {
  const [newest] = state.sandboxes;
  const cgroup = await makeCgroup(parts, pod);
  if (!cgroup) return undefined;
  const attempt = newest?.metadata?.attempt ?? 0;
  return { id: newest?.id ?? '', config: await configOf(parts, pod, { attempt, ...cgroup }) };
}

/** A new sandbox; `undefined` if it could not be created. */
export async function makeSandbox(parts: SandboxParts, work: PodWork, attempt: number): Promise<Sandbox | undefined> {
  const { recorder, tracer, runtime, counts } = parts;
  const { pod } = work;
  const about = podReference(pod);
  const cgroup = await makeCgroup(parts, pod);
  if (!cgroup) return undefined;
  if (attempt > 0)
    recorder.event(about, 'Normal', 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.');
  counts.startsPod();
  try {
    const runtimeHandler = await handlerOf(parts, pod);
    refuseUsers(pod, runtimeHandler, parts.health.supportsUserNamespaces(runtimeHandler));
    await parts.userNamespaces.allocate(pod);
    const config = await configOf(parts, pod, { attempt, ...cgroup });
    const podSandboxId = await run(work, () => runtime.runPodSandbox({ config, runtimeHandler }));
    work.sandboxIds.add(podSandboxId);
    if (!(await isSeen(parts, work, podSandboxId))) return undefined;
    tracer.step('kubelet.runPodSandbox', `pods/${pod.metadata.namespace}/${pod.metadata.name}`);
    return { id: podSandboxId, config };
  } catch (error) {
    counts.failsPod();
    recorder.event(about, 'Warning', 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${rpcTextOf(error)}`);
    return undefined;
  }
}

/** Reads the state of the new sandbox: the downward API may expose the address of the pod to containers. */
async function isSeen(parts: ObserveParts & Needs<'recorder'>, work: PodWork, id: string): Promise<boolean> {
  const tell = (problem: string) => {
    const message = `Unable to get pod sandbox status: ${problem}`;
    parts.recorder.event(podReference(work.pod), 'Warning', 'FailedPodSandBoxStatus', message);
    return false;
  };
  try {
    await observe(parts, work);
  } catch (error) {
    return tell(rpcTextOf(error));
  }
  return (
    work.state.sandboxes.some((sandbox) => sandbox.id === id) || tell(`pod sandbox ${JSON.stringify(id)} not found`)
  );
}

interface PodCgroup {
  /** Absent if the runtime creates its own. */
  readonly cgroupParent?: string;
}

/** The cgroup parent of the pod. `undefined` if it could not be created, which an event reports. */
async function makeCgroup(
  { cgroups, recorder }: Needs<'cgroups' | 'recorder'>,
  pod: Pod,
): Promise<PodCgroup | undefined> {
  try {
    const cgroupParent = await cgroups.make(pod);
    return cgroupParent ? { cgroupParent } : {};
  } catch (error) {
    const message = `unable to ensure pod container exists: ${messageOf(error)}`;
    recorder.event(podReference(pod), 'Warning', 'FailedCreatePodContainer', message);
    return undefined;
  }
}

async function run(work: PodWork, ask: () => Promise<{ readonly podSandboxId?: string }>): Promise<string> {
  try {
    return (await ask()).podSandboxId ?? '';
  } catch (error) {
    // The sandbox may have been created although the response was lost.
    work.hasUnknownSandboxes = true;
    throw error;
  }
}

async function configOf(
  parts: SandboxConfigParts,
  pod: Pod,
  { attempt, cgroupParent }: PodCgroup & { readonly attempt: number },
): Promise<PodSandboxConfig> {
  const { settings, recorder, nodeDns } = parts;
  const { clusterDNS: clusterDns, clusterDomain, podLogsDir } = settings;
  const node = await nodeDns();
  const { config: dnsConfig, warnings } = podDns(pod, { clusterDns, clusterDomain, node });
  for (const warning of warnings) recorder.event(podReference(pod), 'Warning', 'DNSConfigForming', warning);
  const idMapping = parts.userNamespaces.of(pod);
  return sandboxConfig(pod, {
    attempt,
    podLogsDir,
    clusterDomain,
    dnsConfig,
    ...(cgroupParent && { cgroupParent }),
    ...(idMapping && { idMapping }),
  });
}

/** The handler of the pod's RuntimeClass; empty for the runtime's default. */
async function handlerOf({ references }: Needs<'references'>, { spec }: Pod): Promise<string> {
  const name = spec?.runtimeClassName;
  if (!name) return '';
  const found = await references.runtimeClass(name);
  if (!found)
    throw new Error(`failed to get sandbox runtime: runtimeclass.node.k8s.io ${JSON.stringify(name)} not found`);
  return found.handler;
}
