import { readFileSync } from 'node:fs';

/** Where the kernel's cgroups are mounted. */
export interface CgroupHierarchies {
  /** 1: one hierarchy for each controller; 2: one for all. */
  readonly version: 1 | 2;
  /** The path of an available controller; with version 2 all have the same. */
  readonly mountOf: (controller: string) => string | undefined;
  /** Every hierarchy in which runtimes may create cgroups. */
  readonly mounts: readonly string[];
}

/** Reads `/proc/self/mountinfo`. A machine may have both versions: version 2 counts if it has controllers. */
export function readHierarchies(): CgroupHierarchies {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return parseHierarchies(lines, (mount) => controllersOf(mount));
}

export function parseHierarchies(
  lines: readonly string[],
  controllersAt: (mount: string) => readonly string[],
): CgroupHierarchies {
  const byController = new Map<string, string>();
  const mounts: string[] = [];
  let unified: string | undefined;
  for (const line of lines) {
    const [own = '', rest = ''] = line.split(' - ');
    const [type, , options = ''] = rest.split(' ');
    const mount = own.split(' ')[4] ?? '';
    if (type === 'cgroup2') unified = mount;
    if (type === 'cgroup') for (const option of options.split(',')) byController.set(option, mount);
    if (type === 'cgroup' || type === 'cgroup2') mounts.push(mount);
  }
  const inUnified = unified === undefined ? [] : controllersAt(unified);
  if (inUnified.includes('memory'))
    return { version: 2, mounts, mountOf: (controller) => (inUnified.includes(controller) ? unified : undefined) };
  return { version: 1, mounts, mountOf: (controller) => byController.get(controller) };
}

function controllersOf(mount: string): string[] {
  try {
    return readFileSync(`${mount}/cgroup.controllers`, 'utf8').trim().split(' ');
  } catch {
    return [];
  }
}
