import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { type PodListenerOptions, podListener } from './pod-listener.js';

const real: PodListenerOptions = {
  host: '127.0.0.1',
  advertised: '192.0.2.7',
  podCidrs: ['10.244.0.0/16', 'fd00::/64'],
};

describe('podListener', () => {
  test.each<[string, Partial<PodListenerOptions>, string | undefined]>([
    ['a server on loopback is reached where it is advertised', {}, '192.0.2.7'],
    ['on loopback of IPv6 too', { host: '::1' }, '192.0.2.7'],
    ['not one that listens there already', { host: '0.0.0.0' }, undefined],
    ['not without real nodes', { podCidrs: [] }, undefined],
    ['not on a machine with nothing but loopback', { advertised: undefined }, undefined],
    ['not when loopback is advertised', { advertised: '127.0.0.1' }, undefined],
  ])('%s', (_, options, host) => {
    expect(podListener({ ...real, ...options })?.host).toBe(host);
  });

  test.each([
    ['a pod', '10.244.3.4', true],
    ['a pod, on a socket of both families', '::ffff:10.244.3.4', true],
    ['a pod with IPv6', 'fd00::5', true],
    ['another machine', '192.0.2.8', false],
    ['another machine with IPv6', '2001:db8::1', false],
    ['nothing that is an address', '', false],
  ])('%s (%s) is accepted: %s', (_, address, isAccepted) => {
    expect(podListener(real)?.accepts(address)).toBe(isAccepted);
  });

  test('programs of this machine, at any of its addresses, are accepted', () => {
    const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    expect(own.length).toBeGreaterThan(0);
    for (const { address } of own) expect(podListener(real)?.accepts(address)).toBe(true);
  });
});
