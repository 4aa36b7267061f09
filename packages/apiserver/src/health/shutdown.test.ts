import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

const configMaps = '/api/v1/namespaces/default/configmaps';

describe('a server that shuts down', () => {
  test('SERVE-07 is no longer ready, but still live and serving', async () => {
    const { server, call } = await startTestServer();
    server.shutDown();
    expect((await call('GET', '/readyz')).status).toBe(500);
    expect((await call('GET', '/readyz/shutdown')).status).toBe(500);
    expect((await call('GET', '/livez')).status).toBe(200);
    expect((await call('GET', configMaps)).status).toBe(200);
  });

  test('SERVE-07 rejects everything but health checks in the end', async () => {
    const { server, call } = await startTestServer();
    server.refuse();
    expect((await call('GET', configMaps)).body).toMatchObject({
      code: 503,
      reason: 'ServiceUnavailable',
      message: 'the server is shutting down',
    });
    expect((await call('GET', '/livez')).status).toBe(200);
  });

  test('lets a disconnected client release a lease', async () => {
    const { server, call } = await startTestServer();
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'work' } };
    await call('POST', leases, { ...lease, spec: { holderIdentity: 'me' } });
    server.refuse();
    const { body: held } = await call('GET', `${leases}/work`);
    const released = await call('PUT', `${leases}/work`, { ...held, spec: { holderIdentity: '' } });
    expect([held.spec, released.status, released.body.spec]).toEqual([
      { holderIdentity: 'me' },
      200,
      { holderIdentity: '' },
    ]);
    expect((await call('GET', leases)).status).toBe(503);
  });

  test('SERVE-07 ends watches, and refuses later connections', async () => {
    const { server, call, watch } = await startTestServer();
    const watching = await watch(`${configMaps}?watch=true`);
    await server[Symbol.asyncDispose]();
    expect(watching.ended).toBe(true);
    expect((await call('GET', configMaps)).status).toBe(503);
  });

  test('stops in the middle of a deletion of many', async () => {
    const { server, call } = await startTestServer();
    for (let i = 0; i < 40; i++)
      await call('POST', configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c${i}` } });
    const deletion = call('DELETE', configMaps);
    server.refuse();
    expect((await deletion).status).toBe(503);
    const left = server.objects.list({ group: '', version: 'v1', resource: 'configmaps' } as never);
    expect(left.length).toBeGreaterThan(0);
  });
});
