import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What is written beside a published volume, so that it can be taken down after a restart. */
export interface VolumeData {
  readonly driverName: string;
  readonly volumeHandle: string;
  readonly specVolID: string;
  /** The volume of the pod. */
  readonly volumeName: string;
  readonly volumeLifecycleMode: 'Persistent' | 'Ephemeral';
  readonly targetPath: string;
  readonly stagingPath?: string;
}

const fileName = 'vol_data.json';

export async function writeVolumeData(folder: string, data: VolumeData): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o750 });
  await writeFile(join(folder, fileName), JSON.stringify(data), { mode: 0o640 });
}

export async function removeVolumeData(file: string): Promise<void> {
  await rm(file, { force: true });
}

/** All volumes that drivers have published for a pod, by the file that records them. */
export async function volumesOfPod(podDirectory: string): Promise<Map<string, VolumeData>> {
  const found = new Map<string, VolumeData>();
  for (const kind of ['volumes', 'volumeDevices']) {
    const folder = join(podDirectory, kind, 'kubernetes.io~csi');
    for (const name of await readdir(folder).catch(() => [])) {
      const file = join(folder, name, fileName);
      const text = await readFile(file, 'utf8').catch(() => undefined);
      if (text !== undefined) found.set(file, JSON.parse(text) as VolumeData);
    }
  }
  return found;
}

/** Whether any pod still uses what is staged there. */
export async function isStagedForOthers(root: string, stagingPath: string): Promise<boolean> {
  for (const uid of await readdir(join(root, 'pods')).catch(() => [])) {
    const volumes = await volumesOfPod(join(root, 'pods', uid));
    if ([...volumes.values()].some((one) => one.stagingPath === stagingPath)) return true;
  }
  return false;
}

/** The folder of a pod with the data of a published volume. */
export function dataFolder(root: string, target: string, specName: string): string {
  const published = /^(.*\/volumes\/kubernetes\.io~csi\/[^/]+)\/mount$/.exec(target)?.[1];
  if (published !== undefined) return published;
  const uid = target.slice(target.lastIndexOf('/') + 1);
  return join(root, 'pods', uid, 'volumeDevices', 'kubernetes.io~csi', specName);
}
