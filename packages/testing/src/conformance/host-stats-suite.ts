import type { HostStats, HostStatsSource } from '@coracle/kubelet';
import { describe, expect, test } from 'vitest';

/** A machine that is measured. */
export interface HostStatsHarness {
  readonly source: HostStatsSource;
  /** A directory of the machine. */
  readonly directory: string;
  /** A missing directory; absent if every directory counts as existing. */
  readonly missing?: string;
}

type Filesystem = NonNullable<HostStats['nodeFilesystem']>;

function expectFilesystem({ capacityBytes = 0, availableBytes = 0, usedBytes = 0, ...entries }: Filesystem): void {
  expect(capacityBytes).toBeGreaterThan(0);
  expect(availableBytes + usedBytes).toBeLessThanOrEqual(capacityBytes);
  expect(Math.min(availableBytes, usedBytes)).toBeGreaterThanOrEqual(0);
  const { inodes = 0, inodesFree = 0, inodesUsed = 0 } = entries;
  expect(inodesFree + inodesUsed).toBeLessThanOrEqual(inodes);
}

/** Requirements of the kubelet on statistics of its machine. */
export function describeHostStats(name: string, start: () => Promise<HostStatsHarness>): void {
  describe(`host statistics contract: ${name}`, () => {
    test('usage does not exceed capacity', async () => {
      const { source } = await start();
      const stats = await source.readStats();
      expect(stats.bootedAt).toBeLessThanOrEqual(stats.at);
      expect(stats.cpuCores).toBeGreaterThan(0);
      expect(stats.memoryBytes).toBeGreaterThan(0);
      const { availableBytes = 0, usageBytes = 0, workingSetBytes = 0 } = stats.memory ?? {};
      for (const part of [availableBytes, usageBytes, workingSetBytes]) {
        expect(part).toBeGreaterThanOrEqual(0);
        expect(part).toBeLessThanOrEqual(stats.memoryBytes ?? 0);
      }
      expect(workingSetBytes).toBeLessThanOrEqual(usageBytes);
      const { current = 0, maximum = 0 } = stats.processes ?? {};
      expect(current).toBeLessThanOrEqual(maximum);
      for (const filesystem of [stats.nodeFilesystem, stats.imageFilesystem])
        if (filesystem) expectFilesystem(filesystem);
    });

    test('processor time never runs backwards, and the machine stays booted', async () => {
      const { source } = await start();
      const first = await source.readStats();
      const second = await source.readStats();
      expect(second.at).toBeGreaterThanOrEqual(first.at);
      expect(second.bootedAt).toBe(first.bootedAt);
      expect(second.cpu?.usageCoreNanoSeconds ?? -1).toBeGreaterThanOrEqual(first.cpu?.usageCoreNanoSeconds ?? 0);
    });

    test('the file system of a directory is reported; there is none where there is no directory', async () => {
      const { source, directory, missing } = await start();
      const found = await source.filesystemOf(directory);
      if (!found) throw new Error(`no file system is reported for ${directory}`);
      expectFilesystem(found);
      if (missing !== undefined) expect(await source.filesystemOf(missing)).toBeUndefined();
    });
  });
}
