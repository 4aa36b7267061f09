import type { resourcev1 } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { makeNode } from '../../builders.fixture.js';
import { AllocatedDevices } from './allocated-devices.js';
import { ClaimRequests, RequestKinds } from './claim-requests.js';
import { devicesOf } from './device-pools.js';
import { DeviceSelectors } from './device-selectors.js';
import { requestProblem } from './request-problem.js';

const driver = 'gpu.example.com';
const node = makeNode('n1');
const named = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => ({ name: `${prefix}${i}` }));

function slice(name: string, devices: resourcev1.Device[], resourceSliceCount = 1): resourcev1.ResourceSlice {
  const pool = { name, generation: 1, resourceSliceCount };
  return { metadata: { name }, spec: { driver, nodeName: 'n1', pool, devices } };
}

function problemOf(requests: object[], slices: readonly resourcev1.ResourceSlice[]): string | undefined {
  const metadata = { name: 'c', namespace: 'ns', uid: 'u' };
  const claims: resourcev1.ResourceClaim[] = [{ metadata, spec: { devices: { requests: requests as never } } }];
  const classOf = (name: string) => ({ metadata: { name }, spec: {} });
  return requestProblem({
    claims,
    requests: new ClaimRequests(claims, { classOf, kinds: new RequestKinds() }),
    node,
    available: devicesOf(node, slices),
    use: new AllocatedDevices(),
    shareId: () => 'share',
    selectors: new DeviceSelectors(),
    classOf,
  });
}

const all = { deviceClassName: 'gpu', allocationMode: 'All' };
const some = (count: number) => ({ deviceClassName: 'gpu', allocationMode: 'ExactCount', count });
const good = slice('good', named('a', 2));
const invalid = slice('invalid', [{ name: 'a' }, { name: 'a' }]);
const incomplete = slice('incomplete', named('a', 1), 2);

describe('requests that cannot be handled', () => {
  test.each<[string, object[], resourcev1.ResourceSlice[], string | undefined]>([
    [
      'all devices with an invalid pool',
      [{ name: 'r', exactly: all }],
      [good, invalid],
      `claim ns/c, request r: asks for all devices, but resource pool ${driver}/invalid is currently invalid`,
    ],
    [
      'all devices with an incomplete pool',
      [{ name: 'r', exactly: all }],
      [good, incomplete],
      `claim ns/c, request r: asks for all devices, but resource pool ${driver}/incomplete is currently being updated`,
    ],
    [
      'all devices as an alternative',
      [
        {
          name: 'r',
          firstAvailable: [
            { name: 'one', ...some(1) },
            { name: 'every', ...all },
          ],
        },
      ],
      [good, invalid],
      `claim ns/c, request every: asks for all devices, but resource pool ${driver}/invalid is currently invalid`,
    ],
    ['some devices with an invalid pool', [{ name: 'r', exactly: some(1) }], [good, invalid], undefined],
    ['all devices of good pools', [{ name: 'r', exactly: all }], [good], undefined],
    [
      'more devices than a claim can have',
      [
        { name: 'r', exactly: some(30) },
        { name: 's', exactly: some(3) },
      ],
      [good],
      'claim ns/c: number of requested devices 33 exceeds the claim limit of 32',
    ],
    [
      'all of more devices than a claim can have',
      [{ name: 'r', exactly: all }],
      [slice('large', named('a', 40))],
      'claim ns/c: number of requested devices 40 exceeds the claim limit of 32',
    ],
    [
      'an alternative with fewer devices',
      [
        {
          name: 'r',
          firstAvailable: [
            { name: 'many', ...some(33) },
            { name: 'few', ...some(1) },
          ],
        },
      ],
      [good],
      undefined,
    ],
  ])('%s', (_name, requests, slices, problem) => {
    expect(problemOf(requests, slices)).toBe(problem);
  });
});
