import { chmod, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@coracle/base';
import type {
  BindPlan,
  CsiPlan,
  EmptyDirectoryPlan,
  FilesPlan,
  FsStats,
  RemotePlan,
  VolumeHost,
  VolumePlan,
} from '@coracle/kubelet';
import { makeDirectory as makeMissingDirectory } from '../make-directory.js';
import { writeAtomically } from './atomic-writer.js';
import { containerFiles } from './container-files.js';
import { directorySize } from './directory-size.js';
import { setGroup } from './group-ownership.js';
import { setUpHostPath } from './host-path.js';
import type { MountImage } from './image-mounts.js';
import { bindMount, mount, unmount } from './mount-command.js';
import { isMountPoint, mountsBelow } from './mount-table.js';
import { prepareSubPath } from './sub-path.js';

/** Mounts the volumes of CSI drivers. */
export interface CsiVolumes {
  setUp(plan: CsiPlan): Promise<void>;
  /** False when the driver does not expand volumes on nodes. */
  expand(plan: CsiPlan, bytes: number): Promise<boolean>;
  /** Takes down all that the drivers published for a pod. */
  tearDownPod(podDirectory: string): Promise<void>;
  /** Statistics from drivers of the volumes of a pod, by the name of the volume. */
  statsOfPod(podDirectory: string): Promise<ReadonlyMap<string, Omit<FsStats, 'time'>>>;
}

export interface VolumeHostOptions {
  /** Everything that the kubelet keeps: `/var/lib/kubelet`. */
  readonly root: string;
  readonly csi?: CsiVolumes;
  /** Where the runtime cannot mount images into containers. */
  readonly mountImage?: MountImage | undefined;
}

/** Sets up the volumes of pods on this machine, with `mount` and `umount`. */
export function createVolumeHost({ root, csi, mountImage }: VolumeHostOptions): VolumeHost {
  const turns = new Turns();
  return {
    root,
    files: containerFiles,
    makeDirectories: () => makeSharedDirectories(root),
    makePodDirectories: (directory) => turns.take(directory, () => makePodDirectories(directory)),
    setUp: (plan) => turns.take(turnOf(plan), () => setUp(plan, csi)),
    prepareSubPath: (request) => turns.take(request.podDirectory, () => prepareSubPath(request)),
    tearDownVolumes: (directory) =>
      turns.take(directory, async () => {
        await csi?.tearDownPod(directory);
        await tearDownVolumes(directory);
      }),
    tearDown: (directory) =>
      turns.take(directory, async () => {
        await csi?.tearDownPod(directory);
        await tearDown(directory);
      }),
    ...(mountImage && {
      mountImage: (image: string, directory: string) =>
        turns.take(podOf(directory), () => mountImage(image, directory)),
    }),
    podsOnDisk: () => readdir(join(root, 'pods')).catch(() => []),
    measure: directorySize,
    ...(csi && { expand: (plan: CsiPlan, bytes: number) => csi.expand(plan, bytes) }),
    ...(csi && { driverStats: (directory: string) => csi.statsOfPod(directory) }),
  };
}

/** Below the root, by their names in errors. */
const sharedDirectories = [
  ['root', ''],
  ['pods', 'pods'],
  ['plugins', 'plugins'],
  ['plugins registry', 'plugins_registry'],
] as const;

async function makeSharedDirectories(root: string): Promise<void> {
  for (const [name, folder] of sharedDirectories)
    await makeKubeletDirectory(join(root, folder)).catch((error: unknown) => {
      throw new Error(`error creating ${name} directory: ${messageOf(error)}`, { cause: error });
    });
}

async function makePodDirectories(directory: string): Promise<void> {
  for (const folder of ['', 'volumes', 'plugins']) await makeKubeletDirectory(join(directory, folder));
}

/** Fails with Go's messages, which events repeat: `mkdir PATH: read-only file system`. */
async function makeKubeletDirectory(path: string): Promise<void> {
  try {
    await makeMissingDirectory(path, { mode: 0o750 });
  } catch (error) {
    const { cause } = error as Error;
    const [, why = 'not a directory'] = /^E\w+: ([^,]+)/.exec(messageOf(cause)) ?? [];
    throw new Error(`mkdir ${path}: ${why}`, { cause: error });
  }
}

/** Volumes of one pod are set up and taken down one after the other. */
function turnOf(plan: VolumePlan): string {
  const path = 'directory' in plan ? plan.directory : plan.kind === 'csi' ? plan.target : '';
  return podOf(path);
}

/** The directory of the pod that a path is below. */
function podOf(path: string): string {
  return /^.*?\/pods\/[^/]+/.exec(path)?.[0] ?? path;
}

class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const turn = before.then(work, work);
    const settled = turn.catch(() => undefined);
    this.#last.set(key, settled);
    await settled;
    if (this.#last.get(key) === settled) this.#last.delete(key);
    return turn;
  }
}

async function setUp(plan: VolumePlan, csi: CsiVolumes | undefined): Promise<void> {
  switch (plan.kind) {
    case 'files':
      return setUpFiles(plan);
    case 'empty-directory':
      return setUpEmptyDirectory(plan);
    case 'host-path':
      return setUpHostPath(plan);
    case 'bind':
      return setUpBind(plan);
    case 'remote':
      return setUpRemote(plan);
    case 'block-device':
      return checkBlockDevice(plan.path);
    case 'csi':
      if (!csi) throw new Error(`driver name ${plan.driver} not found in the list of registered CSI drivers`);
      return csi.setUp(plan);
    case 'runtime':
      return undefined;
    case 'unsupported':
      throw new Error(`no volume plugin matched name: ${plan.plugin}`);
  }
}

const openToAll = 0o777;

async function setUpFiles({ directory, files, medium, ownership }: FilesPlan): Promise<void> {
  await makeDirectory(directory);
  if (medium === 'memory' && !(await isMountPoint(directory)))
    await mount({ source: 'tmpfs', target: directory, fsType: 'tmpfs' });
  await writeAtomically(directory, files, {
    ...(ownership && { beforeSwitch: () => setGroup(directory, { ...ownership, changePolicy: 'Always' }, true) }),
  });
}

async function setUpEmptyDirectory(plan: EmptyDirectoryPlan): Promise<void> {
  const { directory, medium, ownership } = plan;
  if (await isMountPoint(directory)) return;
  const isNew = await makeDirectory(directory);
  if (medium !== 'disk') await mountMemory(plan);
  if (ownership && (isNew || medium !== 'disk')) await setGroup(directory, ownership);
}

async function mountMemory({ directory, medium, sizeBytes, pageSize }: EmptyDirectoryPlan): Promise<void> {
  const size = sizeBytes === undefined ? [] : [`size=${sizeBytes}`];
  if (medium === 'memory') return mount({ source: 'tmpfs', target: directory, fsType: 'tmpfs', options: size });
  if (!pageSize) throw new Error('medium HugePages: the pod asks for no hugepages, or for more than one size');
  const options = [`pagesize=${pageSize.replace(/i$/, '')}`, ...size];
  await mount({ source: 'nodev', target: directory, fsType: 'hugetlbfs', options });
}

/** Whether it was not there before. */
async function makeDirectory(directory: string): Promise<boolean> {
  const made = await mkdir(directory, { recursive: true, mode: 0o750 });
  if (made === undefined) return false;
  await chmod(directory, openToAll);
  return true;
}

async function setUpBind(plan: BindPlan): Promise<void> {
  const { directory, source, readOnly, fsType = 'ext4', mountOptions, ownership } = plan;
  const found = await stat(source).catch(() => undefined);
  if (!found) throw new Error(`path ${JSON.stringify(source)} does not exist`);
  if (!(await isMountPoint(directory))) {
    await mkdir(directory, { recursive: true, mode: 0o750 });
    const options = [...mountOptions, ...(readOnly ? ['ro'] : [])];
    if (found.isBlockDevice()) await mount({ source, target: directory, fsType, options });
    else await bindMount(source, directory, readOnly);
  }
  if (ownership && !readOnly) await setGroup(directory, ownership);
}

async function setUpRemote({ directory, source, fsType, readOnly, mountOptions }: RemotePlan): Promise<void> {
  if (await isMountPoint(directory)) return;
  await mkdir(directory, { recursive: true, mode: 0o750 });
  await mount({ source, target: directory, fsType, options: [...mountOptions, ...(readOnly ? ['ro'] : [])] });
}

async function checkBlockDevice(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isBlockDevice()) throw new Error(`path ${JSON.stringify(path)} is not a block device`);
}

async function tearDownVolumes(directory: string): Promise<void> {
  await unmountBelow(directory);
  await rm(join(directory, 'volumes'), { recursive: true, force: true });
}

async function tearDown(directory: string): Promise<void> {
  await unmountBelow(directory);
  await rm(directory, { recursive: true, force: true });
}

/** Nothing is removed while anything is mounted below: it may be data of users. */
async function unmountBelow(directory: string): Promise<void> {
  for (const point of await mountsBelow(directory)) await unmount(point);
  const left = await mountsBelow(directory);
  if (left.length > 0) throw new Error(`${left.join(', ')} cannot be unmounted`);
}
