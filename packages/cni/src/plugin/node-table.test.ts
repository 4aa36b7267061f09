import { expect, test } from 'vitest';
import { restoreHostPorts } from './node-table.js';
import type { LeasedAttachment } from './plugin-host.js';

test('the host ports of all attachments are written again, each port once', () => {
  const port = (key: string, value: string) => ({ map: 'host-ports-4', key, value });
  const attachments: Readonly<Record<string, LeasedAttachment>> = {
    web: { hostInterface: 'a', addresses: ['10.0.0.2'], hostPorts: [port('tcp . 80', '10.0.0.2 . 8080')] },
    none: { hostInterface: 'b', addresses: ['10.0.0.3'], hostPorts: [] },
    late: { hostInterface: 'c', addresses: ['10.0.0.4'], hostPorts: [port('tcp . 80', '10.0.0.4 . 8080')] },
  };
  const leases = { owners: () => [...Object.keys(attachments), 'gone'], attachment: (one: string) => attachments[one] };
  expect(restoreHostPorts(leases).split('\n')).toEqual([
    'add element inet coracle-cni host-ports-4 { tcp . 80 : 10.0.0.4 . 8080 }',
    'add element inet coracle-cni hairpin-4 { 10.0.0.2 . 10.0.0.2 }',
    'add element inet coracle-cni hairpin-4 { 10.0.0.4 . 10.0.0.4 }',
  ]);
});
