import type { Pod, Service } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { cutToSize, endpointSubsets, maxAddresses } from './plan-endpoints.js';

function pod(id: number, options: { ready?: boolean; going?: boolean; port?: number } = {}): Pod {
  const { ready = true, going = false, port = 8080 } = options;
  return {
    metadata: { name: `p${id}`, namespace: 'n', uid: `u${id}`, ...(going && { deletionTimestamp: 'now' }) },
    spec: { containers: [{ name: 'c', ports: [{ name: 'web', containerPort: port, protocol: 'TCP' }] }] },
    status: { podIPs: [{ ip: `10.0.0.${id}` }], conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

const service = (spec: Service['spec'] = {}): Service => ({
  metadata: { name: 's', namespace: 'n' },
  spec: { ports: [{ name: 'http', port: 80, targetPort: 'web', protocol: 'TCP' }], ...spec },
});

const ips = (addresses: { ip: string }[] | undefined) => addresses?.map(({ ip }) => ip);

describe('the subsets of a service', () => {
  test('ready and unready pods are in separate lists, and terminating ones are left out', () => {
    const [subset] = endpointSubsets(service(), [pod(2), pod(1), pod(3, { ready: false }), pod(4, { going: true })]);
    expect(ips(subset?.addresses)).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(ips(subset?.notReadyAddresses)).toEqual(['10.0.0.3']);
    expect(subset?.ports).toEqual([{ name: 'http', port: 8080, protocol: 'TCP' }]);
  });

  test('a service that publishes all has them all as ready', () => {
    const all = [pod(1, { ready: false }), pod(2, { going: true })];
    const [subset] = endpointSubsets(service({ publishNotReadyAddresses: true }), all);
    expect(ips(subset?.addresses)).toEqual(['10.0.0.1', '10.0.0.2']);
  });

  test('pods that use the name for other numbers get a separate subset', () => {
    const subsets = endpointSubsets(service(), [pod(1), pod(2, { port: 9090 })]);
    expect(subsets.map(({ ports, addresses }) => [ports?.[0]?.port, ips(addresses)])).toEqual([
      [8080, ['10.0.0.1']],
      [9090, ['10.0.0.2']],
    ]);
  });

  test('two ports of the same pods are in one subset', () => {
    const ports = [
      { name: 'a', port: 1, targetPort: 1 },
      { name: 'b', port: 2, targetPort: 2 },
    ];
    const subsets = endpointSubsets(service({ ports }), [pod(1), pod(2)]);
    expect(subsets).toHaveLength(1);
    expect(subsets[0]?.ports?.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('a headless service without ports has addresses alone', () => {
    const [subset] = endpointSubsets(service({ ports: [], clusterIP: 'None' }), [pod(1)]);
    expect(subset?.ports).toBeUndefined();
    expect(ips(subset?.addresses)).toEqual(['10.0.0.1']);
  });
});

describe('truncation', () => {
  const addresses = (count: number) => Array.from({ length: count }, (_, i) => ({ ip: `10.${i}` }));

  test('unready addresses are removed first', () => {
    const { subsets, truncated } = cutToSize([{ addresses: addresses(900), notReadyAddresses: addresses(300) }]);
    expect([truncated, subsets[0]?.addresses?.length, subsets[0]?.notReadyAddresses?.length]).toEqual([true, 900, 100]);
  });

  test('subsets are truncated in proportion, down to the limit', () => {
    const { subsets } = cutToSize([{ addresses: addresses(1501) }, { addresses: addresses(500) }]);
    const sizes = subsets.map((subset) => subset.addresses?.length ?? 0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(maxAddresses);
    expect(sizes[1]).toBe(249);
  });
});
