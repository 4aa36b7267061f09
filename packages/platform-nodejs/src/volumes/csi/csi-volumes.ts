import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CsiPlan, FsStats } from '@coracle/kubelet';
import { setGroup } from '../group-ownership.js';
import { isMountPoint } from '../mount-table.js';
import type { CsiVolumes } from '../volume-host.js';
import type { CsiDriver } from './csi-driver.js';
import { csiAccessModes, csiCapability, csiSingleNodeModes, usageUnit } from './csi-layout.js';
import { dataFolder, isStagedForOthers, removeVolumeData, volumesOfPod, writeVolumeData } from './volume-data.js';

export interface CsiVolumesOptions {
  /** Everything that the kubelet keeps. */
  readonly root: string;
  /** The drivers that have registered themselves. */
  readonly driverOf: (name: string) => CsiDriver | undefined;
}

/** Stages and publishes the volumes of CSI drivers, and takes them down again. */
export function createCsiVolumes({ root, driverOf }: CsiVolumesOptions): CsiVolumes {
  const registered = (name: string): CsiDriver => {
    const driver = driverOf(name);
    if (!driver) throw new Error(`driver name ${name} not found in the list of registered CSI drivers`);
    return driver;
  };
  return {
    setUp: (plan) => publish(registered(plan.driver), plan, root),
    expand: (plan, bytes) => expand(registered(plan.driver), plan, bytes),
    async tearDownPod(podDirectory) {
      for (const [file, data] of await volumesOfPod(podDirectory)) {
        const driver = registered(data.driverName);
        await driver.unpublish({ volumeId: data.volumeHandle, targetPath: data.targetPath });
        await rm(data.targetPath, { recursive: true, force: true });
        await removeVolumeData(file);
        if (data.stagingPath === undefined || (await isStagedForOthers(root, data.stagingPath))) continue;
        await driver.unstage({ volumeId: data.volumeHandle, stagingTargetPath: data.stagingPath });
        await rm(dirname(data.stagingPath), { recursive: true, force: true });
      }
    },
    async statsOfPod(podDirectory) {
      const found = new Map<string, Omit<FsStats, 'time'>>();
      for (const { driverName, volumeHandle, targetPath, volumeName } of (await volumesOfPod(podDirectory)).values()) {
        const driver = driverOf(driverName);
        if (!driver || !(await driver.capabilities()).has(csiCapability.volumeStats)) continue;
        found.set(volumeName, statsOf(await driver.stats({ volumeId: volumeHandle, volumePath: targetPath })));
      }
      return found;
    },
  };
}

async function publish(driver: CsiDriver, plan: CsiPlan, root: string): Promise<void> {
  const capabilities = await driver.capabilities();
  const { target, stagingDirectory, volumeHandle: volumeId, ownership } = plan;
  const stages = stagingDirectory !== undefined && capabilities.has(csiCapability.stageUnstage);
  // Written first: what is cut off in the middle is taken down, too.
  await writeVolumeData(dataFolder(root, target, plan.specName), {
    driverName: plan.driver,
    volumeHandle: volumeId,
    specVolID: plan.specName,
    volumeName: plan.volumeName,
    volumeLifecycleMode: stagingDirectory === undefined ? 'Ephemeral' : 'Persistent',
    targetPath: target,
    ...(stages && { stagingPath: stagingDirectory }),
  });
  if (await isMountPoint(target)) return;
  const volumeCapability = capabilityOf(plan, capabilities);
  const { publishContext, volumeContext } = plan;
  if (stages) {
    await mkdir(stagingDirectory, { recursive: true, mode: 0o750 });
    const secrets = plan.stageSecrets;
    await driver.stage({
      volumeId,
      publishContext,
      stagingTargetPath: stagingDirectory,
      volumeCapability,
      secrets,
      volumeContext,
    });
  }
  await mkdir(dirname(target), { recursive: true, mode: 0o750 });
  await driver.publish({
    volumeId,
    publishContext,
    ...(stages && { stagingTargetPath: stagingDirectory }),
    targetPath: target,
    volumeCapability,
    readonly: plan.readOnly,
    secrets: plan.publishSecrets,
    volumeContext,
  });
  if (ownership && !capabilities.has(csiCapability.mountGroup) && !plan.readOnly) await setGroup(target, ownership);
}

async function expand(driver: CsiDriver, plan: CsiPlan, bytes: number): Promise<boolean> {
  const capabilities = await driver.capabilities();
  if (!capabilities.has(csiCapability.expand)) return false;
  const { target, stagingDirectory, volumeHandle: volumeId } = plan;
  await driver.expand({
    volumeId,
    volumePath: target,
    capacityRange: { requiredBytes: bytes },
    ...(stagingDirectory && { stagingTargetPath: stagingDirectory }),
    volumeCapability: capabilityOf(plan, capabilities),
  });
  return true;
}

function capabilityOf(plan: CsiPlan, capabilities: ReadonlySet<number>): object {
  const single = capabilities.has(csiCapability.singleNodeMultiWriter)
    ? csiSingleNodeModes[plan.accessMode]
    : undefined;
  const accessMode = { mode: single ?? csiAccessModes[plan.accessMode] ?? 0 };
  if (plan.block) return { block: {}, accessMode };
  const group = capabilities.has(csiCapability.mountGroup) ? plan.ownership?.fsGroup : undefined;
  return {
    mount: {
      fsType: plan.fsType,
      mountFlags: plan.mountOptions,
      ...(group !== undefined && { volumeMountGroup: String(group) }),
    },
    accessMode,
  };
}

function statsOf(usage: Awaited<ReturnType<CsiDriver['stats']>>): Omit<FsStats, 'time'> {
  const bytes = usage.find(({ unit }) => unit === usageUnit.bytes);
  const inodes = usage.find(({ unit }) => unit === usageUnit.inodes);
  return {
    ...(bytes && { capacityBytes: bytes.total ?? 0, availableBytes: bytes.available ?? 0, usedBytes: bytes.used ?? 0 }),
    ...(inodes && { inodes: inodes.total ?? 0, inodesFree: inodes.available ?? 0, inodesUsed: inodes.used ?? 0 }),
  };
}
