import type { Pod } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../settings.js';
import { cadvisorMetrics } from './cadvisor-metrics.js';
import { computeSummary, type SummaryInput } from './compute-summary.js';
import { resourceMetrics } from './resource-metrics.js';
import { UsageRates } from './usage-rates.js';

const at = Date.parse('2026-01-01T00:00:10Z');
const pod: Pod = {
  metadata: { name: 'web', namespace: 'shop', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    containers: [{ name: 'app' }],
    volumes: [
      { name: 'scratch', emptyDir: {} },
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
    ],
  },
  status: { startTime: '2026-01-01T00:00:01Z' },
};
const value = (number: number) => ({ value: number });
const container = {
  attributes: { metadata: { name: 'app', attempt: 0 } },
  cpu: { timestamp: at * 1e6, usageCoreNanoSeconds: value(5e9) },
  memory: { timestamp: at * 1e6, workingSetBytes: value(100), usageBytes: value(150), rssBytes: value(80) },
  writableLayer: { usedBytes: value(1_000), inodesUsed: value(3) },
};
const input: SummaryInput = {
  nodeName: 'node-1',
  host: {
    at,
    bootedAt: at - 10_000,
    cpu: { usageCoreNanoSeconds: 9e9 },
    memory: { workingSetBytes: 1_000, availableBytes: 2_000 },
    nodeFilesystem: { capacityBytes: 10_000, availableBytes: 6_000, inodes: 100, inodesFree: 90 },
    processes: { maximum: 500, current: 7 },
    cpuCores: 2,
    memoryBytes: 3_000,
  },
  pods: [
    {
      pod,
      stats: {
        linux: {
          containers: [container, { attributes: { metadata: { name: 'app', attempt: 1 } } }],
          process: { processCount: value(4) },
        },
      },
      volumes: new Map([
        ['scratch', { usedBytes: 500, inodesUsed: 2 }],
        ['data', { usedBytes: 7, capacityBytes: 70 }],
      ]),
      logs: new Map([['app', { bytes: 20, inodes: 1 }]]),
    },
  ],
  onlyCpuAndMemory: false,
  rateOf: () => 250,
};

describe('statistics of a node', () => {
  test('K1.5 sum up its pods', () => {
    const { node, pods } = computeSummary(input);
    expect(node).toMatchObject({
      nodeName: 'node-1',
      startTime: '2026-01-01T00:00:00Z',
      cpu: { time: '2026-01-01T00:00:10Z', usageNanoCores: 250, usageCoreNanoSeconds: 9e9 },
      fs: { capacityBytes: 10_000 },
      rlimit: { maxpid: 500, curproc: 7 },
    });
    expect(pods).toMatchObject([
      {
        podRef: { name: 'web', namespace: 'shop', uid: 'u' },
        startTime: '2026-01-01T00:00:01Z',
        cpu: { usageNanoCores: 250, usageCoreNanoSeconds: 5e9 },
        memory: { workingSetBytes: 100, usageBytes: 150, rssBytes: 80 },
        containers: [{ name: 'app', rootfs: { usedBytes: 1_000 }, logs: { usedBytes: 20 } }],
        volume: [
          { name: 'scratch', usedBytes: 500 },
          { name: 'data', usedBytes: 7, pvcRef: { name: 'data', namespace: 'shop' } },
        ],
        'ephemeral-storage': { usedBytes: 1_520, inodesUsed: 6, capacityBytes: 10_000 },
        process_stats: { process_count: 4 },
      },
    ]);
  });

  test('may be of CPU and memory alone', () => {
    const { node, pods } = computeSummary({ ...input, onlyCpuAndMemory: true });
    expect(Object.keys(node)).toEqual(['nodeName', 'startTime', 'cpu', 'memory']);
    expect(Object.keys(pods[0] ?? {})).toEqual(['podRef', 'startTime', 'containers', 'cpu', 'memory']);
  });

  test('are metrics for autoscalers', () => {
    const text = resourceMetrics(computeSummary(input));
    const millis = String(at);
    for (const line of [
      `container_cpu_usage_seconds_total{container="app",namespace="shop",pod="web"} 5 ${millis}`,
      `container_memory_working_set_bytes{container="app",namespace="shop",pod="web"} 100 ${millis}`,
      'container_start_time_seconds{container="app",namespace="shop",pod="web"} 1.767225601e+09',
      `node_cpu_usage_seconds_total 9 ${millis}`,
      `pod_memory_working_set_bytes{namespace="shop",pod="web"} 100 ${millis}`,
      'resource_scrape_error 0',
      '# TYPE node_cpu_usage_seconds_total counter',
    ])
      expect(text.split('\n')).toContain(line);
  });

  test.each([
    ['cgroupfs', '/kubepods/podu/c1'],
    ['systemd', '/kubepods.slice/kubepods-podu.slice/cri-containerd-c1.scope'],
  ] as const)('are metrics under the names of cAdvisor, with the cgroup driver %s', (cgroupDriver, id) => {
    const limited: Pod = {
      ...pod,
      spec: { ...pod.spec, containers: [{ name: 'app', resources: { limits: { cpu: '500m', memory: '1Mi' } } }] },
      status: {
        qosClass: 'Guaranteed',
        containerStatuses: [
          {
            name: 'app',
            image: 'docker.io/library/app:1',
            imageID: '',
            containerID: 'containerd://c1',
            ready: true,
            restartCount: 0,
          },
        ],
      },
    };
    const settings = { ...defaultSettings, cgroupDriver };
    const text = cadvisorMetrics(computeSummary(input), input.host, { pods: [limited], settings });
    const labels = `id="${id}",image="docker.io/library/app:1",name="c1",namespace="shop",pod="web"`;
    expect(text).toContain('machine_cpu_cores 2\n');
    expect(text).toContain(`container_cpu_usage_seconds_total{container="app",cpu="total",${labels}} 5 ${at}\n`);
    expect(text).toContain(`container_spec_cpu_quota{container="app",${labels}} 50000 `);
    expect(text).toContain(`container_spec_memory_limit_bytes{container="app",${labels}} 1.048576e+06 `);
    expect(text).toContain(`container_last_seen{container="app",${labels}} 1.76722561e+09 `);
    expect(text).toMatch(/container_memory_working_set_bytes\{container="",id="\/",.*\} 1000 /);
  });
});

test('usage per second is computed from two totals', () => {
  const rates = new UsageRates();
  expect(rates.nanoCores('a', 1e9, 0)).toBeUndefined();
  expect(rates.nanoCores('a', 3e9, 4_000)).toBe(5e8);
  expect(rates.nanoCores('a', 3e9, 4_010)).toBe(5e8);
  expect(rates.nanoCores('a', 1e9, 8_000)).toBeUndefined();
});
