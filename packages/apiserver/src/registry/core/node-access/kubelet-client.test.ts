import { acceptsValues } from '@coracle/apimachinery';
import { expect, test } from 'vitest';
import type { OutboundRequest } from '../../../outbound/dialer.js';
import { kubeletClient } from './kubelet-client.js';

test('a kubelet elsewhere does not see that values are accepted', async () => {
  const sent: OutboundRequest[] = [];
  const client = kubeletClient({
    dialer: {
      request: async (_address, request) => {
        sent.push(request);
        return { status: 200, headers: {}, body: { kind: 'empty' } };
      },
      connect: async () => ({ status: 400, headers: {}, body: { kind: 'empty' } }),
    },
  });
  const node = { metadata: { name: 'a' }, status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] } };
  const headers = { [acceptsValues]: '1', accept: 'application/json' };
  const { signal } = new AbortController();
  await client.request(node, { method: 'GET', path: '/stats/summary', query: '', headers, signal });
  expect(sent.map((request) => request.headers)).toEqual([{ accept: 'application/json' }]);
});
