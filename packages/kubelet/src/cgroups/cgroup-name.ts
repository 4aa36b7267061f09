/** The cgroup driver: the kubelet and the runtime create directories, or systemd creates slices. */
export type CgroupDriver = 'cgroupfs' | 'systemd';

/** The path of a cgroup below the root of its hierarchy: `/kubepods.slice/kubepods-burstable.slice` with systemd. */
export function cgroupPath(driver: CgroupDriver, name: string): string {
  if (driver === 'cgroupfs') return name;
  const parts = partsOf(name);
  return parts.map((_, index) => `/${sliceOf(parts.slice(0, index + 1))}`).join('');
}

/** The cgroup parent of a pod for the runtime: systemd uses names of slices. */
export function cgroupParent(driver: CgroupDriver, name: string): string {
  return driver === 'cgroupfs' ? name : sliceOf(partsOf(name));
}

/** The uid of the pod of a cgroup directly below `parent`. */
export function podUidIn(driver: CgroupDriver, parent: string, child: string): string | undefined {
  if (driver === 'cgroupfs') return /^pod(.+)$/.exec(child)?.[1];
  const prefix = `${sliceOf(partsOf(parent)).slice(0, -'.slice'.length)}-pod`;
  if (!child.startsWith(prefix) || !child.endsWith('.slice')) return undefined;
  return child.slice(prefix.length, -'.slice'.length).replaceAll('_', '-');
}

function partsOf(name: string): string[] {
  return name.split('/').filter((part) => part !== '');
}

/** A hyphen separates a slice from its parent, so hyphens in the name are replaced. */
function sliceOf(parts: readonly string[]): string {
  return `${parts.map((part) => part.replace(/\.slice$/, '').replaceAll('-', '_')).join('-')}.slice`;
}
