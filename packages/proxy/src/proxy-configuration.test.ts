import { expect, test } from 'vitest';
import { parseProxyConfiguration, usualProxyConfiguration } from './proxy-configuration.js';

const head = { apiVersion: 'kubeproxy.config.k8s.io/v1alpha1', kind: 'KubeProxyConfiguration' };

test('the defaults are those of kube-proxy', () => {
  expect(usualProxyConfiguration()).toMatchObject({
    healthzBindAddress: '0.0.0.0:10256',
    metricsBindAddress: '127.0.0.1:10249',
    masqueradeBit: 14,
    syncPeriodMs: 30_000,
  });
});

test('a file', () => {
  const file = {
    ...head,
    bindAddress: '0.0.0.0',
    metricsBindAddress: '0.0.0.0',
    hostnameOverride: 'k8s-node1',
    clusterCIDR: '10.244.0.0/16,fd00::/48',
    clientConnection: { kubeconfig: '/etc/kube-proxy.kubeconfig' },
    mode: 'iptables',
    iptables: { masqueradeAll: true, masqueradeBit: 15, syncPeriod: '1m', minSyncPeriod: '0s' },
  };
  expect(parseProxyConfiguration(file)).toMatchObject({
    metricsBindAddress: '0.0.0.0:10249',
    hostnameOverride: 'k8s-node1',
    podNetworks: ['10.244.0.0/16', 'fd00::/48'],
    kubeconfig: '/etc/kube-proxy.kubeconfig',
    masqueradeAll: true,
    masqueradeBit: 15,
    syncPeriodMs: 60_000,
    minSyncPeriodMs: 0,
    notes: ['mode iptables: services are served by nftables'],
  });
});

test.each([
  ['no kind', {}, /it must be a KubeProxyConfiguration/],
  ['an unknown mode', { ...head, mode: 'ebpf' }, /unknown mode "ebpf"/],
  ['a network that is none', { ...head, clusterCIDR: 'x' }, /clusterCIDR: "x" is no network/],
  ['everything at once', { ...head, mode: 'x', nftables: { masqueradeBit: 99 } }, /unknown mode.*; masqueradeBit/],
])('refuses %s', (_, file, message) => {
  expect(() => parseProxyConfiguration(file)).toThrow(message);
});
