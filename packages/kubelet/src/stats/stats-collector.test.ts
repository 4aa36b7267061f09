import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { pod, runtime, settings, volumeHost } from './disk-usage.fixture.js';
import { StatsCollector } from './stats-collector.js';

describe('StatsCollector', () => {
  test('measures logs and volumes wherever the kubelet keeps them', async () => {
    const room = { availableBytes: 1, capacityBytes: 2 };
    const hostStats = { readStats: async () => ({ at: 0, bootedAt: 0 }), filesystemOf: async () => room };
    const clock = new VirtualClock();
    const collector = new StatsCollector({
      nodeName: 'n',
      clock,
      runtime,
      settings,
      volumeHost,
      hostStats,
      pods: () => [pod],
    });
    const { pods } = await collector.summary({ onlyCpuAndMemory: false });
    expect(pods[0]?.containers.map(({ name, logs }) => [name, logs?.usedBytes])).toEqual([
      ['app', 20],
      ['sidecar', 3],
    ]);
    expect(pods[0]?.volume?.map(({ name, usedBytes }) => [name, usedBytes])).toEqual([['scratch', 100]]);
    expect(pods[0]?.['ephemeral-storage']?.usedBytes).toBe(3_123);
  });
});
