import { refs } from '@coracle/api';
import { expect, test } from 'vitest';
import type { AdmissionPlugin } from '../admission/admission.js';
import { startTestServer } from '../server.fixture.js';

const path = '/api/v1/namespaces/default/configmaps';
const user = { name: 'admin', groups: ['system:masters'] };

test.each(['PATCH', 'DELETE'])('a %s that always conflicts ends when its client has disconnected', async (method) => {
  let attempts = 0;
  const client = new AbortController();
  /** Another client is faster, each time. */
  const rival: AdmissionPlugin = {
    name: 'Rival',
    handles: ({ operation }) => operation !== 'CREATE',
    concerns: (attributes) => attributes.user.name !== 'rival',
    validate: async () => {
      attempts++;
      if (attempts === 3) client.abort(new Error('the client is gone'));
      if (attempts > 20) throw new Error('it goes on without a client');
      const annotations = { attempt: String(attempts) };
      await server.writer.update(refs.configMaps, 'default', 'a', (object) => ({
        ...object,
        metadata: { ...object.metadata, annotations },
      }));
    },
  };
  const { server, call } = await startTestServer({ admission: () => [rival] });
  await call('POST', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
  const answer = await server.exchange({
    method,
    path: `${path}/a`,
    query: '',
    headers: { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' },
    body: { kind: 'bytes', bytes: new TextEncoder().encode(method === 'PATCH' ? '{"data":{"a":"b"}}' : '{}') },
    peer: { user },
    signal: client.signal,
  });
  expect(attempts).toBe(3);
  expect(answer.status).not.toBe(200);
});
