import { execFileSync } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLogger } from '@coracle/base';
import type { CsiPlan } from '@coracle/kubelet';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PluginWatcher } from '../../plugins/plugin-watcher.js';
import { systemClock } from '../../system-clock.js';
import { temporaryFolder } from '../../temporary-folder.fixture.js';
import { mountsBelow } from '../mount-table.js';
import { createVolumeHost } from '../volume-host.js';
import type { CsiNodeInfo } from './csi-driver.js';
import { CsiDrivers } from './csi-drivers.js';
import { createCsiVolumes } from './csi-volumes.js';
import { TestDriver } from './test-driver.fixture.js';

const isRoot = process.getuid?.() === 0;

async function nodeWithDriver(versions?: string[]) {
  const root = await temporaryFolder();
  const driver = await TestDriver.start(join(root, 'volumes-of-driver'), join(root, 'plugins_registry'), versions);
  const seen: (readonly [string, CsiNodeInfo])[][] = [];
  const onChange = async (present: ReadonlyMap<string, CsiNodeInfo>) => void seen.push([...present]);
  const drivers = new CsiDrivers({ logger: silentLogger, onChange });
  const folder = join(root, 'plugins_registry');
  const handlers = { CSIPlugin: drivers };
  const watcher = new PluginWatcher({ folder, clock: systemClock, logger: silentLogger, handlers });
  await watcher.start();
  const csi = createCsiVolumes({ root, driverOf: (name) => drivers.get(name) });
  onTestFinished(async () => {
    for (const point of await mountsBelow(root)) execFileSync('umount', ['-l', point]);
    watcher[Symbol.dispose]();
    drivers[Symbol.dispose]();
    await driver[Symbol.asyncDispose]();
  });
  return { root, driver, drivers, seen, host: createVolumeHost({ root, csi }) };
}

function planOf(root: string, pod: string): CsiPlan {
  return {
    kind: 'csi',
    driver: 'folders.test.example.com',
    volumeHandle: 'vol-1',
    specName: 'pv-1',
    volumeName: 'data',
    target: `${root}/pods/${pod}/volumes/kubernetes.io~csi/pv-1/mount`,
    stagingDirectory: `${root}/plugins/kubernetes.io/csi/folders.test.example.com/abc/globalmount`,
    block: false,
    readOnly: false,
    accessMode: 'ReadWriteOnce',
    fsType: 'ext4',
    mountOptions: ['noatime'],
    volumeContext: { a: 'b' },
    publishContext: {},
    stageSecrets: { key: 'secret' },
    publishSecrets: {},
    ownership: { fsGroup: 4321, changePolicy: 'Always' },
  };
}

test('drivers register themselves, and are gone with their socket', async () => {
  const { driver, drivers, seen } = await nodeWithDriver();
  expect(driver.registration).toEqual({ pluginRegistered: true });
  expect(seen).toEqual([
    [
      [
        'folders.test.example.com',
        { nodeId: 'node-id', maxVolumesPerNode: 8, accessibleTopology: { segments: { zone: 'a' } } },
      ],
    ],
  ]);
  await driver[Symbol.asyncDispose]();
  await vi.waitFor(() => expect(seen.at(-1)).toEqual([]), { timeout: 5_000 });
  expect(drivers.get(driver.name)).toBeUndefined();
});

test('a driver of another version is refused', async () => {
  const { driver } = await nodeWithDriver(['0.3.0']);
  expect(driver.registration).toMatchObject({
    pluginRegistered: false,
    error: expect.stringContaining('none of the CSI versions'),
  });
});

test('a volume of a driver that is not there cannot be set up', async () => {
  const { root, host } = await nodeWithDriver();
  await expect(host.setUp({ ...planOf(root, 'uid-1'), driver: 'other' })).rejects.toThrow(
    'driver name other not found in the list of registered CSI drivers',
  );
});

test('a driver receives the volume to expand, and its path', async () => {
  const { root, driver, host } = await nodeWithDriver();
  const plan = planOf(root, 'uid-1');
  expect(await host.expand?.(plan, 2 ** 31)).toBe(true);
  expect(driver.requests).toMatchObject([
    {
      volumeId: 'vol-1',
      volumePath: plan.target,
      stagingTargetPath: plan.stagingDirectory,
      capacityRange: { requiredBytes: 2 ** 31 },
      volumeCapability: { mount: { fsType: 'ext4' } },
    },
  ]);
});

test.skipIf(!isRoot)('volumes are staged once and published to each pod (as root)', async () => {
  const { root, driver, host } = await nodeWithDriver();
  await host.setUp(planOf(root, 'uid-1'));
  await host.setUp(planOf(root, 'uid-2'));
  const [stage, publish] = driver.requests;
  expect(stage).toMatchObject({
    volumeId: 'vol-1',
    secrets: { key: 'secret' },
    volumeContext: { a: 'b' },
    volumeCapability: { mount: { fsType: 'ext4', mountFlags: ['noatime'] }, accessMode: { mode: 1 } },
  });
  expect(publish).toMatchObject({ stagingTargetPath: planOf(root, 'uid-1').stagingDirectory });
  await writeFile(join(planOf(root, 'uid-1').target, 'file'), 'shared');
  expect(await readFile(join(planOf(root, 'uid-2').target, 'file'), 'utf8')).toBe('shared');
  expect((await stat(driver.folderOf('vol-1'))).gid).toBe(4321);
  const stats = await host.driverStats?.(`${root}/pods/uid-1`);
  expect(stats?.get('data')).toEqual({ capacityBytes: 100, usedBytes: 30, availableBytes: 70 });

  driver.calls.length = 0;
  await host.tearDown(`${root}/pods/uid-1`);
  expect(driver.calls).toEqual(['NodeUnpublishVolume vol-1']);
  await host.tearDown(`${root}/pods/uid-2`);
  expect(driver.calls).toEqual(['NodeUnpublishVolume vol-1', 'NodeUnpublishVolume vol-1', 'NodeUnstageVolume vol-1']);
  expect(await readdir(join(root, 'pods'))).toEqual([]);
  expect(await mountsBelow(root)).toEqual([]);
  expect(await readFile(join(driver.folderOf('vol-1'), 'file'), 'utf8')).toBe('shared');
});
