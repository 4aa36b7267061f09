import { expect, test } from 'vitest';
import { parseKubeletConfiguration } from './kubelet-configuration.js';

const kind = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };

test('settings, what is said of the node, and what has no effect', () => {
  const configuration = parseKubeletConfiguration({
    ...kind,
    clusterDNS: ['10.96.0.10'],
    imageMinimumGCAge: '2m0s',
    containerLogMaxSize: '10Mi',
    staticPodPath: '/etc/kubernetes/manifests',
    serializeImagePulls: false,
    shutdownGracePeriod: '30s',
    reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }],
    cgroupDriver: 'systemd',
    failSwapOn: false,
    memorySwap: { swapBehavior: 'NoSwap' },
    podCIDR: '10.0.0.0/24',
  });
  expect(configuration).toEqual({
    settings: {
      clusterDNS: ['10.96.0.10'],
      imageMinimumGCAge: 120_000,
      containerLogMaxSize: 10 * 2 ** 20,
      cgroupDriver: 'systemd',
      maxParallelImagePulls: Number.POSITIVE_INFINITY,
      shutdownGracePeriod: 30_000,
      reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }],
    },
    staticPodPath: '/etc/kubernetes/manifests',
    failSwapOn: false,
    withoutEffect: ['podCIDR'],
  });
});

test.each([
  { document: { ...kind, kind: 'Pod' }, says: 'no kind "Pod" is registered' },
  { document: { ...kind, clusterDnss: [] }, says: 'unknown field "clusterDnss"' },
  { document: { ...kind, maxPods: 'many' }, says: 'maxPods: must be a whole number' },
  { document: { ...kind, syncFrequency: 5 }, says: 'syncFrequency: must be a duration' },
  { document: { ...kind, cpuManagerPolicy: 'dynamic' }, says: 'cpuManagerPolicy: must be one of none, static' },
  { document: { ...kind, reservedMemory: [{}] }, says: 'reservedMemory[0].numaNode: must be a whole number' },
  {
    document: { ...kind, memorySwap: { swapBehavior: 'LimitedSwap' } },
    says: 'memorySwap.swapBehavior: "LimitedSwap" is not supported',
  },
  { document: undefined, says: 'it holds no object' },
])('what is wrong is said: $says', ({ document, says }) => {
  expect(() => parseKubeletConfiguration(document)).toThrow(says);
});
