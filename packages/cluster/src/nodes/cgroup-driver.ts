import { CgroupDriver, isCriError, type RuntimeService } from '@coracle/cri';
import type { KubeletSettings } from '@coracle/kubelet';

type Driver = KubeletSettings['cgroupDriver'];

/**
 * The runtime's cgroup driver, `undefined` if it does not report it. The kubelet must use the same: runc rejects a
 * pod's cgroup that is named for the other driver.
 */
export async function cgroupDriverOf(
  runtime: Pick<RuntimeService, 'runtimeConfig' | 'status'>,
): Promise<Driver | undefined> {
  try {
    const { linux } = await runtime.runtimeConfig({});
    return linux?.cgroupDriver === CgroupDriver.CGROUPFS ? 'cgroupfs' : 'systemd';
  } catch (error) {
    if (!isCriError(error, 'Unimplemented')) throw error;
  }
  const { info } = await runtime.status({ verbose: true });
  return usesSystemd(info?.['config']) ? 'systemd' : undefined;
}

/** As much of containerd's configuration as matters. */
interface ContainerdConfig {
  readonly containerd?: {
    readonly defaultRuntimeName?: string;
    readonly runtimes?: Readonly<Record<string, { readonly options?: { readonly SystemdCgroup?: boolean } | null }>>;
  };
}

/**
 * The configuration that containerd before 2.0, which has no call for it, includes in its status. Other runtimes have
 * other texts.
 */
function usesSystemd(config = '{}'): boolean {
  try {
    const { defaultRuntimeName = 'runc', runtimes } = (JSON.parse(config) as ContainerdConfig).containerd ?? {};
    return runtimes?.[defaultRuntimeName]?.options?.SystemdCgroup === true;
  } catch {
    return false;
  }
}
