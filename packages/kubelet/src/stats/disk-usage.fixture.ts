import type { Pod } from '@coracle/api';
import { fakeVolumeHost } from '../volumes/fake-volume-host.fixture.js';
import type { StatsRuntime } from './sandbox-stats.js';

/** Directories of a kubelet that differ from the defaults. */
export const settings = { podLogsDir: '/data/pod-logs' };
const root = '/data/kubelet';

/** A pod with a volume, a sidecar and an application. */
export const pod: Pod = {
  metadata: { namespace: 'default', name: 'web', uid: 'u1' },
  spec: {
    volumes: [{ name: 'scratch', emptyDir: {} }],
    initContainers: [{ name: 'sidecar', restartPolicy: 'Always' }],
    containers: [{ name: 'app', volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] }],
  },
};

const sizes: Readonly<Record<string, number>> = {
  [`${root}/pods/u1/volumes/kubernetes.io~empty-dir/scratch`]: 100,
  [`${settings.podLogsDir}/default_web_u1/app`]: 20,
  [`${settings.podLogsDir}/default_web_u1/sidecar`]: 3,
};

/** Returns the usage of each directory of the pod. */
export const volumeHost = {
  ...fakeVolumeHost({ files: true }),
  root,
  measure: async (directory: string) => ({ bytes: sizes[directory] ?? 0, inodes: directory in sizes ? 1 : 0 }),
};

const container = (name: string, bytes: number) => ({
  attributes: { metadata: { name } },
  cpu: { usageCoreNanoSeconds: { value: 1 } },
  writableLayer: { usedBytes: { value: bytes }, inodesUsed: { value: 1 } },
});
const stats = {
  attributes: { metadata: { uid: 'u1' } },
  linux: { containers: [container('app', 1_000), container('sidecar', 2_000)] },
};

/** A runtime with the two containers of the pod. */
export const runtime: StatsRuntime = {
  listPodSandboxStats: async () => ({ stats: [stats] }),
  listPodSandbox: async () => ({}),
  podSandboxStats: async () => ({ stats }),
  listContainerStats: async () => ({ stats: stats.linux.containers }),
};
