import { describe, expect, test } from 'vitest';
import { pod, runtime, settings, volumeHost } from '../stats/disk-usage.fixture.js';
import { diskUsageOf, readPodUsage } from './pod-usage.js';

describe('readPodUsage', () => {
  test('counts layers, logs and volumes, wherever the kubelet keeps them', async () => {
    const usage = (await readPodUsage({ runtime, settings, volumeHost }, [pod])).get('u1');
    expect([...(usage?.containers ?? [])].map(([name, { disk }]) => [name, disk.bytes, disk.inodes])).toEqual([
      ['app', 1_020, 2],
      ['sidecar', 2_003, 2],
    ]);
    expect(usage?.volumes.get('scratch')).toEqual({ bytes: 100, inodes: 1 });
    expect(usage && diskUsageOf(usage)).toEqual({ bytes: 3_123, inodes: 5 });
  });

  test('counts no logs where they are not files', async () => {
    const { files: _, ...simulated } = volumeHost;
    const usage = (await readPodUsage({ runtime, settings, volumeHost: simulated }, [pod])).get('u1');
    expect(usage && diskUsageOf(usage)).toEqual({ bytes: 3_100, inodes: 3 });
  });
});
