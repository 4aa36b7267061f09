import { refs } from '@coracle/api';
import { VirtualClock } from '@coracle/base';
import { createMemoryStore } from '@coracle/store';
import { describe, expect, test } from 'vitest';
import { MemoryObjects } from '../../memory-objects.fixture.js';
import { startTestServer } from '../../server.fixture.js';
import { admit, pod } from './admit.fixture.js';
import { resourceQuota } from './resource-quota.js';

const configMaps = '/api/v1/namespaces/default/configmaps';

async function withQuota(hard: Record<string, string>) {
  const clock = new VirtualClock();
  const started = await startTestServer({
    clock,
    store: await createMemoryStore({ clock }),
    admission: ({ objects, writer }) => [resourceQuota({ objects, writer, clock })],
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
  test('ADM-16 is never exceeded by concurrent creates', async () => {
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

  test('ADM-16 reports requested, used and limited amounts', async () => {
    const { call } = await withQuota({ 'count/configmaps': '0' });
    const { body } = await call('POST', configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } });
    expect(body).toMatchObject({
      code: 403,
      message:
        'configmaps "c" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=0, limited: count/configmaps=0',
    });
  });
});

describe('ADM-16 limited resources need a quota that covers them', () => {
  const limitedResources = [
    { resource: 'pods', matchContains: ['cpu'] },
    { resource: 'pods', matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
  ];
  const withRequests = { resources: { requests: { cpu: '1' } } };
  const cpu = { hard: { 'requests.cpu': '4' }, used: { 'requests.cpu': '0' } };
  const quota = (status: object, spec: object = {}) => ({
    kind: 'ResourceQuota',
    metadata: { name: 'q', namespace: 'default' },
    spec,
    status,
  });
  const ofHigh = { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Exists' }] } };

  test.each([
    ['cheap pods go free', pod(), [], undefined],
    [
      'those with requests do not',
      pod({ containers: [{ name: 'c', ...withRequests }] }),
      [],
      'insufficient quota to consume: cpu,requests.cpu',
    ],
    [
      'nor those of high priority',
      pod({ priorityClassName: 'high' }),
      [],
      'insufficient quota to match these scopes: [{PriorityClass In [high]}]',
    ],
    ['unless there is a quota for them', pod({ priorityClassName: 'high' }), [quota({}, ofHigh)], undefined],
    [
      'or for what they use',
      pod({ containers: [{ name: 'c', ...withRequests }] }),
      [quota({ hard: { ...cpu.hard, cpu: '4' }, used: { ...cpu.used, cpu: '0' } })],
      undefined,
    ],
  ] as const)('%s', async (_name, object, quotas, words) => {
    const plugin = resourceQuota(
      { objects: new MemoryObjects([...quotas] as never[]), writer: {} as never, clock: new VirtualClock() },
      { limitedResources },
    );
    const { error } = await admit(plugin, { object, dryRun: true });
    if (words === undefined) expect(error).toBeUndefined();
    else expect(error).toContain(words);
  });
});
