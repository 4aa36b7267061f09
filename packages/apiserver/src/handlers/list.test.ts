import { parseYamlDocuments } from '@coracle/apimachinery';
import { VirtualClock } from '@coracle/base';
import { createMemoryStore, type Store } from '@coracle/store';
import { describe, expect, test } from 'vitest';
import { namesIn, startTestServer, type TestServer } from '../server.fixture.js';

const configMaps = '/api/v1/namespaces/default/configmaps';

async function withConfigMaps(count: number): Promise<TestServer> {
  const server = await startTestServer();
  for (let i = 0; i < count; i++) {
    const labels = { parity: i % 2 === 0 ? 'even' : 'odd' };
    await server.call('POST', configMaps, { metadata: { name: `cm-${i}`, labels } });
  }
  return server;
}

describe('a list', () => {
  test('ETCD-15 continues unchanged after a restart, with objects deleted since', async () => {
    const { call, store, clock } = await withConfigMaps(4);
    const first = await call('GET', `${configMaps}?limit=1`);
    await call('DELETE', `${configMaps}/cm-3`);
    const restarted = await startTestServer({ store, clock });
    const rest = await restarted.call('GET', `${configMaps}?continue=${first.body.metadata.continue}`);
    expect(namesIn(rest.body)).toEqual(['cm-1', 'cm-2', 'cm-3']);
    expect(rest.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
  });

  test('ETCD-15 KEY-11 has pages of one revision, with any writes meanwhile', async () => {
    const { call } = await withConfigMaps(5);
    const first = await call('GET', `${configMaps}?limit=2`);
    expect(namesIn(first.body)).toEqual(['cm-0', 'cm-1']);
    expect(first.body.metadata.remainingItemCount).toBe(3);
    await call('POST', configMaps, { metadata: { name: 'cm-25' } });
    await call('DELETE', `${configMaps}/cm-3`);
    const second = await call('GET', `${configMaps}?limit=2&continue=${first.body.metadata.continue}`);
    expect(namesIn(second.body)).toEqual(['cm-2', 'cm-3']);
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    const third = await call('GET', `${configMaps}?limit=2&continue=${second.body.metadata.continue}`);
    expect(namesIn(third.body)).toEqual(['cm-4']);
    expect(third.body.metadata.continue).toBeUndefined();
  });

  test('ETCD-15 pages of selected objects have no remaining count', async () => {
    const { call } = await withConfigMaps(6);
    const first = await call('GET', `${configMaps}?limit=2&labelSelector=parity%3Deven`);
    expect(namesIn(first.body)).toEqual(['cm-0', 'cm-2']);
    expect(first.body.metadata).not.toHaveProperty('remainingItemCount');
    const second = await call(
      'GET',
      `${configMaps}?limit=2&labelSelector=parity%3Deven&continue=${first.body.metadata.continue}`,
    );
    expect(namesIn(second.body)).toEqual(['cm-4']);
    expect(second.body.metadata.continue).toBeUndefined();
  });

  test('ETCD-15 ERR-08 whose revision is compacted can continue at the current one', async () => {
    const clock = new VirtualClock();
    const store = await createMemoryStore({ clock });
    const { call } = await startTestServer({ store, clock });
    for (const name of ['a', 'b', 'c']) await call('POST', configMaps, { metadata: { name } });
    const first = await call('GET', `${configMaps}?limit=1`);
    await call('POST', configMaps, { metadata: { name: 'd' } });
    await call('DELETE', `${configMaps}/b`);
    await store.compact(await store.currentRevision());
    const gone = await call('GET', `${configMaps}?limit=1&continue=${first.body.metadata.continue}`);
    expect(gone.body).toMatchObject({ code: 410, reason: 'Expired', metadata: { continue: expect.any(String) } });
    expect(gone.body.message).toMatch(
      /^The provided continue parameter is too old to display a consistent list result/,
    );
    const rest = await call('GET', `${configMaps}?limit=1&continue=${gone.body.metadata.continue}`);
    expect(namesIn(rest.body)).toEqual(['c']);
    const last = await call('GET', `${configMaps}?continue=${rest.body.metadata.continue}`);
    expect(namesIn(last.body)).toEqual(['d']);
    const exact = `resourceVersion=${first.body.metadata.resourceVersion}&resourceVersionMatch=Exact`;
    expect((await call('GET', `${configMaps}?${exact}`)).body).toMatchObject({
      code: 410,
      message: 'The resourceVersion for the provided list is too old.',
    });
  });

  test('ETCD-15 whose revision is compacted expires though none of it has changed', async () => {
    const clock = new VirtualClock();
    const store = await createMemoryStore({ clock });
    const { call } = await startTestServer({ store, clock });
    for (const name of ['a', 'b', 'c']) await call('POST', configMaps, { metadata: { name } });
    const first = await call('GET', `${configMaps}?limit=1`);
    await call('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 'other' } });
    await store.compact(await store.currentRevision());
    const gone = await call('GET', `${configMaps}?limit=1&continue=${first.body.metadata.continue}`);
    expect(gone.body).toMatchObject({ code: 410, reason: 'Expired', metadata: { continue: expect.any(String) } });
    const rest = await call('GET', `${configMaps}?continue=${gone.body.metadata.continue}`);
    expect(namesIn(rest.body)).toEqual(['b', 'c']);
  });

  test('CACHE-26 is as it was at an exact revision', async () => {
    const { call } = await withConfigMaps(2);
    const { body } = await call('GET', configMaps);
    await call('DELETE', `${configMaps}/cm-0`);
    const query = `resourceVersion=${body.metadata.resourceVersion}&resourceVersionMatch=Exact`;
    expect(namesIn((await call('GET', `${configMaps}?${query}`)).body)).toEqual(['cm-0', 'cm-1']);
    expect(namesIn((await call('GET', configMaps)).body)).toEqual(['cm-1']);
  });

  test('CACHE-25 waits for a future revision, and times out after three seconds', async () => {
    const { call, clock } = await withConfigMaps(1);
    const answer = call('GET', `${configMaps}?resourceVersion=100000`);
    await clock.advance(3001);
    const { status, body } = await answer;
    expect(status).toBe(504);
    expect(body.message).toMatch(/^Timeout: Too large resource version: 100000, current: \d+$/);
    expect(body.details.causes[0].reason).toBe('ResourceVersionTooLarge');
  });

  test('is read from the store when the watch on the store is late', async () => {
    const clock = new VirtualClock();
    const inner = await createMemoryStore({ clock });
    let isLate = false;
    const watch: Store['watch'] = (prefix, from, listener) =>
      inner.watch(prefix, from, {
        onEvents: (events, revision) => isLate || listener.onEvents(events, revision),
        onProgress: (revision) => isLate || listener.onProgress?.(revision),
        onError: (error) => listener.onError(error),
      });
    const store = new Proxy(inner, {
      get: (target, name) => {
        const value: unknown = name === 'watch' ? watch : Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const { call } = await startTestServer({ store, clock });
    await call('POST', configMaps, { metadata: { name: 'cm-0' } });
    isLate = true;
    await call('POST', configMaps, { metadata: { name: 'cm-1' } });
    const last = await call('POST', configMaps, { metadata: { name: 'cm-2', labels: { a: 'b' } } });
    for (const [query, names] of [
      ['', ['cm-0', 'cm-1', 'cm-2']],
      ['?limit=2', ['cm-0', 'cm-1']],
      ['?labelSelector=a%3Db', ['cm-2']],
    ] as const) {
      const answer = call('GET', configMaps + query);
      await clock.advance(3_001);
      const { status, body } = await answer;
      expect({ status, names: namesIn(body) }).toEqual({ status: 200, names });
      const versions = [body, last.body].map(({ metadata }) => Number(metadata.resourceVersion));
      expect(versions[0]).toBeGreaterThanOrEqual(versions[1] ?? 0);
    }
  });

  test('does not continue at a future revision', async () => {
    const { call, clock } = await withConfigMaps(1);
    const forged = btoa('{"v":"meta.k8s.io/v1","rv":100000,"start":"default/a"}').replace(/=+$/, '');
    const answer = call('GET', `${configMaps}?limit=1&continue=${forged}`);
    await clock.advance(3_000);
    const { status, body } = await answer;
    expect(status).toBe(504);
    expect(body.message).toMatch(/^Timeout: Too large resource version: 100000, current: \d+$/);
  });

  test.each([
    ['limit=x', 400],
    ['resourceVersion=abc', 400],
    ['continue=%21', 400],
    ['labelSelector=a%20b%20c', 400],
    ['fieldSelector=spec.unknown%3Dx', 400],
    ['resourceVersionMatch=Exact', 422],
    ['resourceVersionMatch=Later&resourceVersion=1', 422],
    ['resourceVersion=0&resourceVersionMatch=Exact', 422],
    ['sendInitialEvents=true', 422],
  ])('is refused for %s with %i', async (query, code) => {
    const { call } = await withConfigMaps(1);
    expect((await call('GET', `${configMaps}?${query}`)).status).toBe(code);
  });

  test('STORE-06 STORE-07 is selected by name as one object', async () => {
    const { call } = await withConfigMaps(3);
    const { body } = await call('GET', '/api/v1/configmaps?fieldSelector=metadata.name%3Dcm-1');
    expect(namesIn(body)).toEqual(['cm-1']);
  });

  test('STORE-11 is served as a table, as metadata alone, and as YAML', async () => {
    const { call } = await withConfigMaps(2);
    const table = await call('GET', configMaps, undefined, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    expect(table.body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect(table.body.rows).toHaveLength(2);
    expect(table.body.rows[0].object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'cm-0' } });
    const partial = await call('GET', configMaps, undefined, {
      accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
    });
    expect(partial.body.kind).toBe('PartialObjectMetadataList');
    expect(Object.keys(partial.body.items[0]).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    const yaml = await call('GET', configMaps, undefined, { accept: 'application/yaml' });
    expect(yaml.headers['content-type']).toBe('application/yaml');
    expect(yaml.body).toContain('kind: ConfigMapList');
  });

  test('WRITE-12 is not acceptable in an unknown media type', async () => {
    const { call } = await withConfigMaps(1);
    const { status, body } = await call('GET', configMaps, undefined, { accept: 'image/png' });
    expect(status).toBe(406);
    expect(body.reason).toBe('NotAcceptable');
  });
});

describe('STORE-34 items of a list', () => {
  const hpa = {
    metadata: { name: 'a' },
    spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' } },
  };
  test.each([
    ['as they are stored', 'v2', 'application/json', ''],
    ['converted', 'v1', 'application/json', ''],
    ['for people', 'v2', 'application/json', '?pretty=true'],
    ['converted for people', 'v1', 'application/json', '?pretty=true'],
    ['in YAML', 'v2', 'application/yaml', ''],
  ])('do not repeat their kind: %s', async (_name, version, accept, query) => {
    const { call } = await startTestServer();
    const path = '/namespaces/default/horizontalpodautoscalers';
    await call('POST', `/apis/autoscaling/v2${path}`, hpa);
    const { body } = await call('GET', `/apis/autoscaling/${version}${path}${query}`, undefined, { accept });
    const list = typeof body === 'string' ? parseYamlDocuments(new TextEncoder().encode(body))[0]?.value : body;
    const [item] = (list as { items: object[] }).items;
    expect(item).toMatchObject({ metadata: { name: 'a' } });
    expect(item).not.toHaveProperty('kind');
    expect(item).not.toHaveProperty('apiVersion');
  });
});
