import { stat } from 'node:fs/promises';

/** Throws if systemd does not run this machine: a runtime that asks it for cgroups starts no container then. */
export async function requireSystemd(folder = '/run/systemd/system'): Promise<void> {
  const isThere = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isThere) return;
  throw new Error(
    'the cgroup driver is systemd, but systemd does not run on this machine: set cgroupDriver to cgroupfs, and SystemdCgroup to false in the configuration of containerd',
  );
}
