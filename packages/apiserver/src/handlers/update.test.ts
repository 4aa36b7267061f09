import { type ApiResponse, acceptsValues, type KubeObject } from '@coracle/apimachinery';
import { beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../server.fixture.js';

const path = '/apis/apps/v1/namespaces/default/deployments/web';
const peer = { user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] } };
const labels = { app: 'web' };
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
  },
};

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer();
  await api.call('POST', '/api/v1/namespaces', { metadata: { name: 'default' } });
  await api.call('POST', path.replace(/\/web$/, ''), deployment);
});

/**
 * Updates as a component of the same process does: objects are not encoded, and the object that is read is the stored
 * object itself.
 */
async function exchange(method: string, at: string, value?: unknown): Promise<ApiResponse> {
  const headers = { accept: 'application/json', [acceptsValues]: '1' };
  const body = value === undefined ? {} : { body: { kind: 'value', value } as const };
  return await api.server.exchange({ method, path: at, query: '', headers, peer, ...body });
}

async function objectIn(response: Promise<ApiResponse>): Promise<KubeObject> {
  const { body } = await response;
  if (body.kind !== 'value') throw new Error(`no value but ${body.kind}`);
  return body.value as KubeObject;
}

describe('an in-process update', () => {
  test('changes what differs from the object that was read, and keeps its own parts', async () => {
    const before = (await objectIn(exchange('GET', path))) as KubeObject & { readonly spec: object };
    const changed = { ...before, metadata: { ...before.metadata, labels: { tier: 'front' } } };
    const after = await objectIn(exchange('PUT', path, changed));
    expect(after).toMatchObject({ metadata: { labels: { tier: 'front' }, generation: 1 }, spec: before.spec });
    expect(await api.call('GET', path)).toMatchObject({ body: { spec: before.spec } });
  });

  test('of the status has the same outcome as one that is sent', async () => {
    const before = await objectIn(exchange('GET', path));
    const status = { replicas: 1, updatedReplicas: 1 };
    const here = await objectIn(exchange('PUT', `${path}/status`, { ...before, status }));
    const sent = await api.call('PUT', `${path}/status`, { ...here, status: { ...status, replicas: 2 } });
    expect(sent.body).toMatchObject({ metadata: { name: 'web' }, status: { replicas: 2 } });
    const { managedFields: _a, resourceVersion: _b, ...metadata } = here.metadata;
    expect((sent.body as KubeObject).metadata).toMatchObject(metadata);
    expect({ ...here, metadata }).toMatchObject({ spec: deployment.spec, status });
  });

  test('is decoded where it is not the stored object, even if most of it is', async () => {
    const before = (await objectIn(exchange('GET', path))) as KubeObject & { readonly spec: object };
    const outcome = exchange('PUT', path, { ...before, spec: { ...before.spec, replicas: 'many' } });
    await expect(outcome).resolves.toMatchObject({ status: 400 });
  });
});
