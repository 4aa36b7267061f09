import { expect, test } from 'vitest';
import { parseKubeletConfiguration } from './kubelet-configuration.js';

const kind = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };

test('settings, options of the node, and fields without effect', () => {
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

test('authentication and authorization as kubeadm writes them: a duration of 0 means the default', () => {
  const { settings, ...node } = parseKubeletConfiguration({
    ...kind,
    authentication: {
      anonymous: { enabled: true },
      webhook: { cacheTTL: '0s', enabled: true },
      x509: { clientCAFile: '/etc/kubernetes/pki/ca.crt' },
    },
    authorization: { mode: 'AlwaysAllow', webhook: { cacheAuthorizedTTL: '0s', cacheUnauthorizedTTL: '7s' } },
    tlsCertFile: '/tls.crt',
    tlsPrivateKeyFile: '/tls.key',
  });
  expect(settings).toEqual({
    authentication: { anonymous: { enabled: true }, webhook: { enabled: true, cacheTTL: 120_000 } },
    authorization: {
      mode: 'AlwaysAllow',
      webhook: { cacheAuthorizedTTL: 300_000, cacheUnauthorizedTTL: 7_000 },
    },
  });
  expect(node).toEqual({
    clientCAFile: '/etc/kubernetes/pki/ca.crt',
    tlsCertFile: '/tls.crt',
    tlsPrivateKeyFile: '/tls.key',
    withoutEffect: [],
  });
});

test('what the node does by itself', () => {
  const fields = { enableServer: false, enableDebuggingHandlers: false, registerNode: false, podsPerCore: 4 };
  const crashLoopBackOff = { maxContainerRestartPeriod: '30s' };
  const { settings, withoutEffect } = parseKubeletConfiguration({ ...kind, ...fields, crashLoopBackOff });
  expect(settings).toEqual({ ...fields, crashLoopBackOff: { maxContainerRestartPeriod: 30_000 } });
  expect(withoutEffect).toEqual([]);
});

test.each([
  { fields: {}, limits: {} },
  { fields: { serializeImagePulls: true }, limits: {} },
  { fields: { serializeImagePulls: false }, limits: { maxParallelImagePulls: Number.POSITIVE_INFINITY } },
  { fields: { serializeImagePulls: false, maxParallelImagePulls: 3 }, limits: { maxParallelImagePulls: 3 } },
  { fields: { maxParallelImagePulls: 3 }, limits: { maxParallelImagePulls: 3 } },
  { fields: { serializeImagePulls: true, maxParallelImagePulls: 1 }, limits: { maxParallelImagePulls: 1 } },
  { fields: { registryPullQPS: 0, registryBurst: 3 }, limits: { registryPullQPS: 0, registryBurst: 3 } },
])('pulls of images are limited by $fields', ({ fields, limits }) => {
  expect(parseKubeletConfiguration({ ...kind, ...fields })).toEqual({ settings: limits, withoutEffect: [] });
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
  {
    document: { ...kind, serializeImagePulls: true, maxParallelImagePulls: 2 },
    says: 'maxParallelImagePulls: cannot be larger than 1 unless serializeImagePulls is set to false',
  },
  { document: { ...kind, maxParallelImagePulls: 0 }, says: 'maxParallelImagePulls: must be a positive number' },
  { document: { ...kind, registryPullQPS: -1 }, says: 'registryPullQPS: must not be a negative number' },
  { document: { ...kind, podsPerCore: -1 }, says: 'podsPerCore: must not be a negative number' },
  { document: { ...kind, healthzPort: 70_000 }, says: 'healthzPort: must be between 0 and 65535, inclusive' },
  { document: { ...kind, authentication: { basic: {} } }, says: 'unknown field "authentication.basic"' },
  { document: { ...kind, authorization: { mode: 'RBAC' } }, says: 'authorization.mode: must be one of' },
  {
    document: { ...kind, crashLoopBackOff: { maxContainerRestartPeriod: '10m' } },
    says: 'crashLoopBackOff.maxContainerRestartPeriod: must be between 1s and 5m0s',
  },
  { document: undefined, says: 'it contains no object' },
])('errors are reported: $says', ({ document, says }) => {
  expect(() => parseKubeletConfiguration(document)).toThrow(says);
});
