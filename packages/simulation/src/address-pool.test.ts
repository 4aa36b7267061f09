import { describe, expect, test } from 'vitest';
import { AddressPool } from './address-pool.js';

describe('AddressPool', () => {
  test('leaves the gateway and the broadcast address out', () => {
    const pool = new AddressPool('10.1.2.0/29');
    const taken = Array.from({ length: 6 }, () => pool.take());
    expect(taken).toEqual(['10.1.2.2', '10.1.2.3', '10.1.2.4', '10.1.2.5', '10.1.2.6', undefined]);
  });

  test('reuses an address only when no fresh one is left', () => {
    const pool = new AddressPool('10.1.2.0/29');
    pool.giveBack(pool.take() ?? '');
    const taken = Array.from({ length: 5 }, () => pool.take());
    expect(taken).toEqual(['10.1.2.3', '10.1.2.4', '10.1.2.5', '10.1.2.6', '10.1.2.2']);
  });

  test('counts across bytes, and in IPv6', () => {
    const pool = new AddressPool('10.0.255.254/30');
    expect(pool.take()).toBe('10.0.255.254');
    expect(new AddressPool('fd00::/64').take()).toBe('fd00::2');
  });

  test('rejects an invalid network', () => {
    expect(() => new AddressPool('10.1.2.0')).toThrow('10.1.2.0 is no network');
  });
});
