import { expect, test } from 'vitest';
import { restoreLimits } from './bandwidth.js';
import type { LeasedAttachment } from './plugin-host.js';

test('the limits of all attachments whose devices are there are written again', () => {
  const ports = { addresses: ['10.0.0.2'], hostPorts: [] };
  const attachments: Readonly<Record<string, LeasedAttachment>> = {
    slow: { ...ports, hostInterface: 'veth1', egressLimit: { rate: 2_000_000, burst: 0 } },
    free: { ...ports, hostInterface: 'veth2' },
    ended: { ...ports, hostInterface: 'veth3', egressLimit: { rate: 1_000_000, burst: 0 } },
  };
  const leases = { owners: () => [...Object.keys(attachments), 'gone'], attachment: (one: string) => attachments[one] };
  expect(
    restoreLimits(leases, { linkExists: (name) => name !== 'veth3' })
      .trim()
      .split('\n'),
  ).toEqual([
    'add table netdev coracle-cni',
    'add chain netdev coracle-cni veth1 { type filter hook ingress device "veth1" priority 0; }',
    'flush chain netdev coracle-cni veth1',
    'add rule netdev coracle-cni veth1 limit rate over 250000 bytes/second burst 131072 bytes drop',
  ]);
});
