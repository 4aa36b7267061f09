import { execFileSync } from 'node:child_process';
import { lchown, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { VolumeHost } from '@coracle/kubelet';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import { mountsBelow, parseMountPoints } from './mount-table.js';
import { createVolumeHost } from './volume-host.js';

const isRoot = process.getuid?.() === 0;

let folder: string;
let host: VolumeHost;
let pod: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  host = createVolumeHost({ root: folder });
  pod = join(folder, 'pods/uid-1');
});

afterEach(async () => {
  for (const point of await mountsBelow(folder)) execFileSync('umount', ['-l', point]);
});

test('mount points are read with their blanks', () => {
  const line = '36 35 98:0 /mnt1 /a\\040b rw,noatime master:1 - ext3 /dev/root rw';
  expect(parseMountPoints(`${line}\n`)).toEqual(['/a b']);
});

describe('directories', () => {
  test('those of the kubelet and of a pod are made, for its own user and group', async () => {
    await host.makeDirectories?.();
    await host.makePodDirectories?.(pod);
    await host.makePodDirectories?.(pod);
    expect((await readdir(folder)).sort()).toEqual(['plugins', 'plugins_registry', 'pods']);
    expect((await readdir(pod)).sort()).toEqual(['plugins', 'volumes']);
    expect((await stat(join(pod, 'volumes'))).mode & 0o777).toBe(0o750);
  });

  test('K17.11 an error names the one that cannot be made', async () => {
    await writeFile(join(folder, 'pods'), '');
    await expect(host.makeDirectories?.()).rejects.toThrow(
      `error creating pods directory: mkdir ${folder}/pods: not a directory`,
    );
    await expect(host.makePodDirectories?.(pod)).rejects.toThrow(`mkdir ${pod}: not a directory`);
  });
});

describe('host paths', () => {
  test.each(['Directory', 'File', 'Socket', 'CharDevice', 'BlockDevice'])('type %s must be there', async (type) => {
    const path = join(folder, 'none');
    await expect(host.setUp({ kind: 'host-path', path, type })).rejects.toThrow(
      `hostPath type check failed: ${path} is not a`,
    );
  });

  test.each([
    ['DirectoryOrCreate', 0o755],
    ['FileOrCreate', 0o644],
  ])('type %s is made', async (type, mode) => {
    const path = join(folder, 'new');
    await host.setUp({ kind: 'host-path', path, type });
    expect((await stat(path)).mode & 0o777).toBe(mode & ~process.umask());
  });

  test('a device is not a file', async () => {
    await host.setUp({ kind: 'host-path', path: '/dev/null', type: 'CharDevice' });
    await expect(host.setUp({ kind: 'host-path', path: '/dev/null', type: 'File' })).rejects.toThrow('is not a file');
  });
});

describe.skipIf(!isRoot)('volumes with mounts (as root)', () => {
  test('memory is a tmpfs of its size, with the group of the pod', async () => {
    const directory = join(pod, 'volumes/kubernetes.io~empty-dir/scratch');
    const plan = { kind: 'empty-directory', directory, medium: 'memory', sizeBytes: 1 << 20 } as const;
    await host.setUp({ ...plan, ownership: { fsGroup: 4321, changePolicy: 'Always' } });
    await host.setUp(plan);
    expect(execFileSync('df', ['-k', '--output=fstype,size', directory]).toString()).toMatch(/tmpfs +1024\n/);
    expect(await mountsBelow(directory)).toHaveLength(1);
    const { gid, mode } = await stat(directory);
    expect([gid, mode & 0o2777]).toEqual([4321, 0o2777]);
  });

  test('secrets are in memory and can be read by the group', async () => {
    const directory = join(pod, 'volumes/kubernetes.io~secret/s');
    const files = new Map([['key', { mode: 0o400, content: () => Buffer.from('value') }]]);
    const ownership = { fsGroup: 4321, changePolicy: 'Always' } as const;
    await host.setUp({ kind: 'files', directory, files, medium: 'memory', ownership });
    const { gid, mode } = await stat(join(directory, 'key'));
    expect([gid, mode & 0o777]).toEqual([4321, 0o440]);
    await host.tearDown(pod);
    expect(await readdir(join(folder, 'pods'))).toEqual([]);
    expect(await mountsBelow(folder)).toEqual([]);
  });

  test('volumes go before the directory of the pod, in which termination logs stay', async () => {
    const memory = join(pod, 'volumes/kubernetes.io~empty-dir/memory');
    await host.setUp({ kind: 'empty-directory', directory: memory, medium: 'memory' });
    const log = join(pod, 'containers/web/0');
    await host.files?.write(log, 'the end', 0o600);
    await host.tearDownVolumes?.(pod);
    expect(await mountsBelow(folder)).toEqual([]);
    expect([await readdir(pod), await readFile(log, 'utf8')]).toEqual([['containers'], 'the end']);
  });

  test('the directory that a volume is bound to keeps its files when the pod goes', async () => {
    const source = join(folder, 'disk');
    await mkdir(source);
    await writeFile(join(source, 'data'), 'precious');
    const directory = join(pod, 'volumes/kubernetes.io~local-volume/pv');
    await host.setUp({ kind: 'bind', directory, source, readOnly: true, mountOptions: [] });
    expect(await readFile(join(directory, 'data'), 'utf8')).toBe('precious');
    await expect(writeFile(join(directory, 'x'), '')).rejects.toThrow('EROFS');
    expect(await host.podsOnDisk()).toEqual(['uid-1']);
    await host.tearDown(pod);
    expect(await readFile(join(source, 'data'), 'utf8')).toBe('precious');
    expect(await host.podsOnDisk()).toEqual([]);
  });

  test('OnRootMismatch does not change files whose root has the group', async () => {
    const source = join(folder, 'disk');
    await mkdir(source);
    await writeFile(join(source, 'data'), '');
    const directory = join(pod, 'volumes/kubernetes.io~local-volume/pv');
    const plan = { kind: 'bind', directory, source, readOnly: false, mountOptions: [] } as const;
    await host.setUp({ ...plan, ownership: { fsGroup: 4321, changePolicy: 'OnRootMismatch' } });
    expect((await stat(join(source, 'data'))).gid).toBe(4321);
    await lchown(join(source, 'data'), 0, 0);
    await host.setUp({ ...plan, ownership: { fsGroup: 4321, changePolicy: 'OnRootMismatch' } });
    expect((await stat(join(source, 'data'))).gid).toBe(0);
    await host.setUp({ ...plan, ownership: { fsGroup: 4321, changePolicy: 'Always' } });
    expect((await stat(join(source, 'data'))).gid).toBe(4321);
  });
});

describe.skipIf(!isRoot)('parts of volumes (as root)', () => {
  const request = (subPath: string) => ({
    volumePath: join(folder, 'volume'),
    subPath,
    podDirectory: pod,
    volumeName: 'v',
    containerName: 'c',
    index: 0,
  });

  beforeEach(async () => {
    await mkdir(join(folder, 'volume/real'), { recursive: true });
    await writeFile(join(folder, 'volume/real/file'), 'inside');
    await writeFile(join(folder, 'secret'), 'outside');
  });

  test('are folders, which are made if they are missing', async () => {
    const target = await host.prepareSubPath(request('new/deep'));
    await writeFile(join(target, 'x'), '1');
    expect(await readFile(join(folder, 'volume/new/deep/x'), 'utf8')).toBe('1');
  });

  test('are files', async () => {
    expect(await readFile(await host.prepareSubPath(request('real/file')), 'utf8')).toBe('inside');
  });

  test('follow links inside the volume', async () => {
    await symlink('real/file', join(folder, 'volume/link'));
    expect(await readFile(await host.prepareSubPath(request('link')), 'utf8')).toBe('inside');
  });

  test.each(['../secret', '/etc', '..'])('a link to %s does not lead out', async (to) => {
    await symlink(to, join(folder, 'volume/link'));
    await expect(host.prepareSubPath(request('link'))).rejects.toThrow('is not below the volume');
    expect(await mountsBelow(pod)).toEqual([]);
  });

  test('files below a folder are read, and links followed within it only', async () => {
    await symlink('real', join(folder, 'volume/in'));
    await symlink('../secret', join(folder, 'volume/out'));
    const read = async (path: string) => {
      const bytes = await host.files?.readBelow(join(folder, 'volume'), path, 4);
      return bytes && new TextDecoder().decode(bytes);
    };
    expect(await read('in/file')).toBe('insi');
    expect(await read('none')).toBeUndefined();
    await expect(read('out')).rejects.toThrow('leads out of its folder');
    await expect(read('../secret')).rejects.toThrow('leads out of its folder');
    await expect(read('real')).rejects.toThrow('is not a regular file');
  });

  test('a folder below a link that leads out is not made', async () => {
    await mkdir(join(folder, 'elsewhere'));
    await symlink('../elsewhere', join(folder, 'volume/link'));
    await expect(host.prepareSubPath(request('link/new'))).rejects.toThrow();
    expect(await readdir(join(folder, 'elsewhere'))).toEqual([]);
  });

  test('swapping a folder for a link in the middle gains nothing', async () => {
    let stop = false;
    const swap = (async () => {
      const [real, aside] = [join(folder, 'volume/real'), join(folder, 'volume/aside')];
      // Each step may fail: the missing folder is made meanwhile.
      const steps = [() => rename(real, aside), () => symlink('..', real), () => rm(real), () => rename(aside, real)];
      for (let turn = 0; !stop && turn < 10_000; turn++) for (const step of steps) await step().catch(() => undefined);
    })();
    await writeFile(join(folder, 'file'), 'outside');
    for (let attempt = 0; attempt < 20; attempt++) {
      const target = await host.prepareSubPath(request('real/file')).catch(() => undefined);
      const found = target && (await stat(target)).isFile() ? await readFile(target, 'utf8') : 'inside';
      expect(found).toBe('inside');
    }
    stop = true;
    await swap;
  });

  test('a second container start mounts again, and all go with the pod', async () => {
    await host.prepareSubPath(request('real'));
    await host.prepareSubPath(request('real/file'));
    expect(await mountsBelow(pod)).toHaveLength(1);
    await host.tearDown(pod);
    expect(await mountsBelow(pod)).toEqual([]);
    expect(await readFile(join(folder, 'volume/real/file'), 'utf8')).toBe('inside');
  });
});

test('a directory is measured without what is mounted below', async () => {
  const directory = join(folder, 'measured');
  await mkdir(join(directory, 'sub'), { recursive: true });
  await writeFile(join(directory, 'sub/a'), Buffer.alloc(100_000, 1));
  const { bytes, inodes } = (await host.measure?.(directory)) ?? { bytes: 0, inodes: 0 };
  expect(bytes).toBeGreaterThanOrEqual(100_000);
  expect(inodes).toBe(3);
});
