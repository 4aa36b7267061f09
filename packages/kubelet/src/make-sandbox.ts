import type { Pod } from '@coracle/api';
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
export type SandboxParts = SandboxConfigParts & ObserveParts & Needs<'tracer' | 'references' | 'health'>;

/** The sandbox that is there. */
export async function currentSandbox(parts: SandboxConfigParts, { pod, state }: PodWork): Promise<Sandbox> {
  const [newest] = state.sandboxes;
  return { id: newest?.id ?? '', config: await configOf(parts, pod, newest?.metadata?.attempt ?? 0) };
}

/** A new one; `undefined` when it could not be made. */
export async function makeSandbox(parts: SandboxParts, work: PodWork, attempt: number): Promise<Sandbox | undefined> {
  const { recorder, tracer, runtime } = parts;
  const { pod } = work;
  const about = podReference(pod);
  if (attempt > 0)
    recorder.event(about, 'Normal', 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.');
  try {
    const runtimeHandler = await handlerOf(parts, pod);
    refuseUsers(pod, runtimeHandler, parts.health.supportsUserNamespaces(runtimeHandler));
    await parts.userNamespaces.allocate(pod);
    const config = await configOf(parts, pod, attempt);
    const podSandboxId = await run(work, () => runtime.runPodSandbox({ config, runtimeHandler }));
    work.sandboxIds.add(podSandboxId);
    // Containers may get the address of the pod through the downward API.
    await observe(parts, work);
    tracer.step('kubelet.runPodSandbox', `pods/${pod.metadata.namespace}/${pod.metadata.name}`);
    return { id: podSandboxId, config };
  } catch (error) {
    recorder.event(about, 'Warning', 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${rpcTextOf(error)}`);
    return undefined;
  }
}

async function run(work: PodWork, ask: () => Promise<{ readonly podSandboxId?: string }>): Promise<string> {
  try {
    return (await ask()).podSandboxId ?? '';
  } catch (error) {
    // It may have been made, and only the answer was lost.
    work.hasUnknownSandboxes = true;
    throw error;
  }
}

async function configOf(parts: SandboxConfigParts, pod: Pod, attempt: number): Promise<PodSandboxConfig> {
  const { cgroups, settings, recorder, nodeDns } = parts;
  const { clusterDNS: clusterDns, clusterDomain, podLogsDir } = settings;
  const [cgroupParent, node] = await Promise.all([cgroups.make(pod), nodeDns()]);
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

/** What the pod's RuntimeClass names; empty for the runtime's default. */
async function handlerOf({ references }: Needs<'references'>, { spec }: Pod): Promise<string> {
  const name = spec?.runtimeClassName;
  if (!name) return '';
  const found = await references.runtimeClass(name);
  if (!found)
    throw new Error(`failed to get sandbox runtime: runtimeclass.node.k8s.io ${JSON.stringify(name)} not found`);
  return found.handler;
}
