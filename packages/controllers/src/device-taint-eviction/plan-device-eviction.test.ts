import type { resourcev1 } from '@coracle/api';
import { expect, test } from 'vitest';
import { planDeviceEviction } from './plan-device-eviction.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const timeAdded = '2025-12-31T23:59:00Z';
/** In objects that were read from JSON it is a bigint. */
const most = (2n ** 63n - 1n) as unknown as number;
const noExecute = { key: 'broken', effect: 'NoExecute', timeAdded };

function claim(tolerations: resourcev1.DeviceToleration[] = []): resourcev1.ResourceClaim {
  const result = { request: 'r', driver: 'd', pool: 'p', device: 'a', tolerations };
  return { metadata: {}, spec: {}, status: { allocation: { devices: { results: [result] } } } };
}

test.each([
  ['without taints', claim(), [], undefined],
  ['with a taint that keeps others away', claim(), [{ key: 'broken', effect: 'NoSchedule' }], undefined],
  ['with a taint', claim(), [noExecute], now],
  ['tolerated', claim([{ operator: 'Exists' }]), [noExecute], undefined],
  ['tolerated for a while', claim([{ operator: 'Exists', tolerationSeconds: 90 }]), [noExecute], now + 30_000],
  [
    'tolerated for long',
    claim([{ operator: 'Exists', tolerationSeconds: most }]),
    [noExecute],
    now - 60_000 + 2 ** 63 * 1000,
  ],
  ['another one tolerated', claim([{ key: 'x', operator: 'Exists' }]), [noExecute], now],
])('%s', (_, resourceClaim, taints, end) => {
  const taintsOf = () => taints.map((taint) => ({ taint }));
  expect(planDeviceEviction({ claims: [resourceClaim], taintsOf, now })?.at).toBe(end);
});

test('names the rules whose taints are not tolerated without limit', () => {
  const taintsOf = () => [
    { taint: noExecute },
    { taint: noExecute, rule: 'evicts' },
    { taint: { key: 'tolerated', effect: 'NoExecute' }, rule: 'tolerated' },
    { taint: { key: 'broken', effect: 'NoSchedule' }, rule: 'keeps-away' },
  ];
  const resourceClaim = claim([{ key: 'tolerated', operator: 'Exists' }]);
  expect(planDeviceEviction({ claims: [resourceClaim], taintsOf, now })).toEqual({
    at: now,
    rules: new Set(['evicts']),
  });
});
