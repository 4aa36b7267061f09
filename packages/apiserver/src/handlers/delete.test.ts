import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';

async function withConfigMap(metadata: object = {}) {
  const server = await startTestServer();
  const { body } = await server.call('POST', configMaps, { metadata: { name: 'a', ...metadata } });
  return { ...server, created: body };
}

describe('a deletion', () => {
  test('DEL-02 is rejected when the object has another uid', async () => {
    const { call } = await withConfigMap();
    const { status, body } = await call('DELETE', `${configMaps}/a`, { preconditions: { uid: 'other' } });
    expect(status).toBe(409);
    expect(body.message).toContain('fulfilled on ConfigMap "a": the UID in the precondition (other) does not match');
    expect(body.details).toEqual({ name: 'a', kind: 'ConfigMap' });
  });

  test('DEL-08 DEL-09 DEL-10 waits for finalizers, and DEL-11 is completed by the update that removes the last one', async () => {
    const { call } = await withConfigMap({ finalizers: ['example.com/hold'] });
    const first = await call('DELETE', `${configMaps}/a`);
    expect(first.body.metadata).toMatchObject({ deletionTimestamp: expect.any(String), deletionGracePeriodSeconds: 0 });
    const again = await call('DELETE', `${configMaps}/a`);
    expect(again.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    const late = await call('PUT', `${configMaps}/a`, { metadata: { name: 'a', finalizers: ['example.com/other'] } });
    expect(late.status).toBe(422);
    const last = await call('PUT', `${configMaps}/a`, { metadata: { name: 'a' } });
    expect([last.status, last.body.metadata.finalizers]).toEqual([200, undefined]);
    expect(last.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    expect((await call('GET', `${configMaps}/a`)).status).toBe(404);
  });

  test.each([
    ['Foreground', ['foregroundDeletion']],
    ['Orphan', ['orphan']],
  ])('DEL-12 by the policy %s leaves the object to the garbage collector', async (propagationPolicy, finalizers) => {
    const { call } = await withConfigMap();
    const { body } = await call('DELETE', `${configMaps}/a`, { propagationPolicy });
    expect(body.metadata.finalizers).toEqual(finalizers);
    expect(body.metadata.deletionTimestamp).toBeDefined();
  });

  test.each([
    [{}, 200, 'Status', undefined],
    [{ propagationPolicy: 'Background' }, 200, 'Status', undefined],
    [{ orphanDependents: false }, 200, 'Status', undefined],
    [{ orphanDependents: true }, 200, 'ConfigMap', ['orphan']],
    [{ propagationPolicy: 'Foreground' }, 200, 'ConfigMap', ['foregroundDeletion']],
  ])('DEL-12 DEL-13 STORE-09 by %j is answered %i with a %s', async (options, code, kind, finalizers) => {
    const { call } = await withConfigMap();
    const { status, body } = await call('DELETE', `${configMaps}/a`, options);
    expect([status, body.kind, body.metadata.finalizers]).toEqual([code, kind, finalizers]);
  });

  test.each([
    [{ orphanDependents: false }, 202],
    [{}, 200],
    [{ propagationPolicy: 'Background' }, 200],
  ])('DEL-16 ERR-14 by %j of an object with finalizers returns %i', async (options, code) => {
    const { call } = await withConfigMap({ finalizers: ['example.com/hold'] });
    expect((await call('DELETE', `${configMaps}/a`, options)).status).toBe(code);
  });

  test('DEL-15 that two clients make succeeds once, and the others get NotFound', async () => {
    const { call } = await withConfigMap();
    const answers = await Promise.all(Array.from({ length: 5 }, () => call('DELETE', `${configMaps}/a`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404]);
  });

  test('DEL-03 with options that make no sense is refused', async () => {
    const { call } = await withConfigMap();
    expect((await call('DELETE', `${configMaps}/a`, { propagationPolicy: 'Never' })).status).toBe(422);
    expect((await call('DELETE', `${configMaps}/a?dryRun=Some`)).status).toBe(422);
    expect((await call('DELETE', `${configMaps}/a?propagationPolicy=Orphan&orphanDependents=true`)).status).toBe(422);
  });

  test('STORE-24 in a dry run changes nothing', async () => {
    const { call } = await withConfigMap();
    expect((await call('DELETE', `${configMaps}/a?dryRun=All`)).status).toBe(200);
    expect((await call('GET', `${configMaps}/a`)).status).toBe(200);
  });

  test('STORE-08 of a collection deletes the selected objects', async () => {
    const { call } = await withConfigMap({ labels: { app: 'web' } });
    await call('POST', configMaps, { metadata: { name: 'b' } });
    const { body } = await call('DELETE', `${configMaps}?labelSelector=app%3Dweb`);
    expect(body).toMatchObject({ kind: 'ConfigMapList', items: [{ metadata: { name: 'a' } }] });
    const left = await call('GET', configMaps);
    expect(left.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['b']);
  });
});

describe('the deletion of a pod', () => {
  const pod = (nodeName?: string) => ({
    metadata: { name: 'web' },
    spec: { ...(nodeName && { nodeName }), containers: [{ name: 'c', image: 'i' }] },
  });

  test('DEL-06 STORE-09 is immediate while no node has it', async () => {
    const { call } = await startTestServer();
    await call('POST', pods, pod());
    const { body } = await call('DELETE', `${pods}/web`);
    expect(body.kind).toBe('Pod');
    expect((await call('GET', `${pods}/web`)).status).toBe(404);
  });

  test('DEL-04 DEL-05 DEL-10 DEL-17 gives a bound pod its grace period, and DEL-07 may only shorten it', async () => {
    const { call } = await startTestServer();
    await call('POST', pods, pod('node-1'));
    const first = await call('DELETE', `${pods}/web`);
    expect(first.body.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:30Z',
      deletionGracePeriodSeconds: 30,
    });
    const longer = await call('DELETE', `${pods}/web?gracePeriodSeconds=60`);
    expect(longer.body.metadata.deletionGracePeriodSeconds).toBe(30);
    const shorter = await call('DELETE', `${pods}/web?gracePeriodSeconds=5`);
    expect(shorter.body.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:05Z',
      deletionGracePeriodSeconds: 5,
    });
    await call('DELETE', `${pods}/web?gracePeriodSeconds=0`);
    expect((await call('GET', `${pods}/web`)).status).toBe(404);
  });

  test('DEL-06 marks a bound pod that is removed by force, as its watchers see', async () => {
    const { call, watch } = await startTestServer();
    await call('POST', pods, pod('node-1'));
    const { events } = await watch(`${pods}?watch=true&resourceVersion=0`);
    const { body } = await call('DELETE', `${pods}/web?gracePeriodSeconds=0`);
    const mark = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0, generation: 2 };
    expect(body.metadata).toMatchObject(mark);
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    expect(events.at(-1)?.object.metadata).toMatchObject(mark);
  });

  test('DEL-15 that another one completes has succeeded', async () => {
    const { call, store } = await startTestServer();
    const transact = store.transact.bind(store);
    store.transact = async (transaction) => {
      const isRemoval = transaction.operations.some(({ kind, key }) => kind === 'delete' && key.endsWith('/web'));
      if (isRemoval) await transact(transaction);
      return await transact(transaction);
    };
    await call('POST', pods, pod('node-1'));
    expect((await call('DELETE', `${pods}/web?gracePeriodSeconds=0`)).status).toBe(200);
  });

  test('DEL-07 with a negative time counts as a second, and the pod can still be removed', async () => {
    const { call } = await startTestServer();
    await call('POST', pods, pod('node-1'));
    await call('DELETE', `${pods}/web`);
    const { body } = await call('DELETE', `${pods}/web?gracePeriodSeconds=-5`);
    expect(body.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:01Z',
      deletionGracePeriodSeconds: 1,
    });
    await call('DELETE', `${pods}/web?gracePeriodSeconds=0`);
    expect((await call('GET', `${pods}/web`)).status).toBe(404);
  });

  test('DEL-10 counts in the generation once', async () => {
    const { call } = await startTestServer();
    await call('POST', pods, { ...pod('node-1'), metadata: { name: 'web', finalizers: ['example.com/hold'] } });
    const generations: number[] = [];
    for (const options of ['', 'gracePeriodSeconds=5', 'gracePeriodSeconds=0', 'propagationPolicy=Foreground']) {
      const { body } = await call('DELETE', `${pods}/web?${options}`);
      generations.push(body.metadata.generation);
    }
    expect(generations).toEqual([2, 2, 2, 2]);
  });
});
