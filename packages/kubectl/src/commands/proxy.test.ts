import type { ApiRequest } from '@coracle/apimachinery';
import { VirtualClock } from '@coracle/base';
import { createClient } from '@coracle/client';
import { expect, test } from 'vitest';
import { proxy } from '../library/cluster.js';
import { Session } from '../library/session.js';

test('a watch through the proxy ends with its client', async () => {
  const requests: ApiRequest[] = [];
  let isClosed = false;
  const client = createClient({
    transport: {
      exchange: async (request) => {
        requests.push(request);
        const stream = {
          open: ({ onClose }: { onClose(listener: () => void): void }) =>
            onClose(() => {
              isClosed = true;
            }),
        };
        return { status: 200, headers: {}, body: { kind: 'stream', stream } };
      },
    },
    user: { name: 'x', groups: [] },
  });
  const handle = await proxy(new Session({ client, clock: new VirtualClock() }));
  const leaving = new AbortController();
  const { body } = await handle({
    method: 'GET',
    url: '/api/v1/pods?watch=true',
    host: 'localhost:8001',
    headers: {},
    body: new Uint8Array(0),
    signal: leaving.signal,
  });
  const reading = (async () => {
    for await (const _ of body);
  })();
  await Promise.resolve();
  leaving.abort();
  await reading;
  expect({ isClosed, isAborted: requests.at(-1)?.signal?.aborted }).toEqual({ isClosed: true, isAborted: true });
});
