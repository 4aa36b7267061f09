import type { resourcev1 } from '@coracle/api';
import { expect, test } from 'vitest';
import { resourceClaimStrategy } from './resource-claim.strategy.js';

const device = (name: string) => ({ driver: 'd.example.com', pool: 'p', device: name });

function claim(allocated: readonly string[], reported: readonly string[]): resourcev1.ResourceClaim {
  const results = allocated.map((name) => ({ request: 'r', ...device(name) }));
  return {
    metadata: { name: 'c', namespace: 'default' },
    spec: {},
    status: {
      ...(results.length > 0 && { allocation: { devices: { results } } }),
      devices: reported.map(device),
    },
  };
}

test.each([
  ['all are given back', [], ['a', 'b'], undefined],
  ['one is given back', ['a'], ['a', 'b'], ['a']],
  ['none is', ['a', 'b'], ['a', 'b'], ['a', 'b']],
  ['one was never allocated: validation refuses it', ['a', 'b'], ['a', 'x'], ['a', 'x']],
])('devices in the status when %s', (_name, allocated, reported, left) => {
  const changed = claim(allocated, reported);
  resourceClaimStrategy.prepareForStatusUpdate?.(changed, claim(['a', 'b'], ['a', 'b']), {} as never);
  expect(changed.status?.devices?.map((one) => one.device)).toEqual(left);
});
