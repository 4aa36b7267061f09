import { refs } from '@coracle/api';
import { VirtualClock } from '@coracle/base';
import { createMemoryStore } from '@coracle/store';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../server.fixture.js';
import { resourceQuota } from './resource-quota.js';

const configMaps = '/api/v1/namespaces/default/configmaps';

async function withQuota(hard: Record<string, string>) {
  const clock = new VirtualClock();
  const started = await startTestServer({
    clock,
    store: await createMemoryStore({ clock }),
    admission: (objects, writer) => [resourceQuota({ objects, writer, clock })],
  });
  const { call, server } = started;
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard } };
  await call('POST', '/api/v1/namespaces/default/resourcequotas', quota);
  await server.writer.updateStatus(refs.resourceQuotas, 'default', 'q', (current) => ({
    ...current,
    status: { hard, used: Object.fromEntries(Object.keys(hard).map((name) => [name, '0'])) },
  }));
  return { ...started, clock };
}

describe('a quota', () => {
  test('ADM-16 is never exceeded, however many create at once', async () => {
    const { call, server, clock } = await withQuota({ 'count/configmaps': '10' });
    const answers = Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        call('POST', configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c${i}` } }),
      ),
    );
    await clock.settle();
    const statuses = (await answers).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(10);
    expect(statuses.filter((status) => status === 403)).toHaveLength(90);
    expect(server.objects.list(refs.configMaps, 'default')).toHaveLength(10);
    expect(server.objects.get(refs.resourceQuotas, 'default', 'q')?.status?.used).toEqual({ 'count/configmaps': '10' });
  });

  test('ADM-16 says what was asked for, what is used and what the limit is', async () => {
    const { call } = await withQuota({ 'count/configmaps': '0' });
    const { body } = await call('POST', configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } });
    expect(body).toMatchObject({
      code: 403,
      message:
        'configmaps "c" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=0, limited: count/configmaps=0',
    });
  });
});
