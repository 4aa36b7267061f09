import { describe, expect, test } from 'vitest';
import { Keys } from './keys.js';

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

describe('keys in etcd', () => {
  test.each([
    { prefix: '/registry', key: '/registry/pods/default/a' },
    { prefix: '/clusters/one', key: '/clusters/one/pods/default/a' },
    { prefix: 'one//two/', key: '/one/two/pods/default/a' },
    { prefix: '/', key: '/pods/default/a' },
  ])('FLAG-39 --etcd-prefix=$prefix puts objects below it', ({ prefix, key }) => {
    const keys = new Keys('', prefix);
    expect(text(keys.bytes('/registry/pods/default/a'))).toBe(key);
    expect(keys.keyValue({ key: Buffer.from(key) }).key).toBe('/registry/pods/default/a');
    expect(text(keys.range('/registry/pods/').key)).toBe(key.slice(0, -'default/a'.length));
  });

  test('FLAG-39 what is no object stays where it is', () => {
    const keys = new Keys('', '/one');
    expect(text(keys.bytes('compact_rev_key'))).toBe('compact_rev_key');
    expect(keys.keyValue({ key: Buffer.from('compact_rev_key') }).key).toBe('compact_rev_key');
  });
});
