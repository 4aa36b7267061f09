import { refs } from '@coracle/api';
import { type Exchange, isConflict, isNotFound, reasonOf } from '@coracle/apimachinery';
import { createApiServer } from '@coracle/apiserver';
import { noMetrics, noTracer, seededRandom, silentLogger, VirtualClock } from '@coracle/base';
import { createMemoryStore } from '@coracle/store';
import { describe, expect, test } from 'vitest';
import { createInformers } from './cache/informers.js';
import { createClient } from './create-client.js';
import { retryOnConflict } from './retry/retry.js';

const user = { name: 'admin', groups: ['system:masters'] };

async function cluster() {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const store = await createMemoryStore({ clock });
  const server = await createApiServer({
    store,
    clock,
    random,
    logger: silentLogger,
    metrics: noMetrics,
    tracer: noTracer,
    authenticators: () => [{ name: 'test', authenticate: () => ({ user }) }],
    authorizer: () => ({ name: 'AlwaysAllow', authorize: () => ({ kind: 'allow', reason: '' }) }),
    admission: () => [],
  });
  return { clock, random, server };
}

/** The same server, as bytes: what a client on the other side of a socket meets. */
const overBytes =
  (exchange: Exchange): Exchange =>
  (request) =>
    exchange({ ...request, peer: { user } });

const ways = [
  { way: 'in process', connect: (exchange: Exchange) => createClient({ transport: { exchange }, user }) },
  {
    way: 'over bytes',
    connect: (exchange: Exchange) => createClient({ transport: { exchange: overBytes(exchange) } }),
  },
];

describe.each(ways)('against the API server, $way', ({ connect }) => {
  async function connected() {
    const { clock, random, server } = await cluster();
    return { clock, random, client: connect(server.exchange) };
  }

  test('CS-3 every verb does what it says', async () => {
    const { client } = await connected();
    const maps = client.configMaps('default');
    const created = await maps.create({ metadata: { name: 'a', labels: { app: 'x' } }, data: { k: '1' } });
    const updated = await maps.update({ ...created, data: { k: '2' } });
    const patched = await maps.patch('a', { data: { more: '3' } }, { type: 'merge' });
    const listed = await maps.list({ labelSelector: 'app=x' });
    expect({
      kind: created.kind,
      changed: updated.metadata.resourceVersion !== created.metadata.resourceVersion,
      data: patched.data,
      listed: listed.items.map(({ kind, metadata }) => [kind, metadata.name]),
    }).toEqual({ kind: 'ConfigMap', changed: true, data: { k: '2', more: '3' }, listed: [['ConfigMap', 'a']] });
    await maps.delete('a');
    await expect(maps.get('a')).rejects.toSatisfy(isNotFound);
    await expect(maps.update(created)).rejects.toSatisfy((error) => isNotFound(error) || isConflict(error));
  });

  test('RC-5 a conflict, an invalid object and an expired version come as what they are', async () => {
    const { client } = await connected();
    const maps = client.configMaps('default');
    const first = await maps.create({ metadata: { name: 'a' } });
    await maps.update({ ...first, data: { k: '1' } });
    await expect(maps.update({ ...first, data: { k: '2' } })).rejects.toSatisfy(isConflict);
    await expect(maps.create({ metadata: { name: 'Not A Name' } })).rejects.toSatisfy((e) => reasonOf(e) === 'Invalid');
    await expect(maps.create({ metadata: { name: 'a' } })).rejects.toSatisfy((e) => reasonOf(e) === 'AlreadyExists');
  });

  test('retryOnConflict brings two writers to agree', async () => {
    const { client, clock, random } = await connected();
    const maps = client.configMaps('default');
    await maps.create({ metadata: { name: 'counter' }, data: { n: '0' } });
    const increment = () =>
      retryOnConflict(
        async () => {
          const current = await maps.get('counter');
          await maps.update({ ...current, data: { n: String(Number(current.data?.['n']) + 1) } });
        },
        { clock, random, tries: 20 },
      );
    const all = Promise.all([increment(), increment(), increment()]);
    await clock.advance(1_000);
    await all;
    expect((await maps.get('counter')).data).toEqual({ n: '3' });
  });

  test('IN-1 an informer follows every change of two namespaces', async () => {
    const { client, clock, random } = await connected();
    await client.configMaps('default').create({ metadata: { name: 'old' } });
    await using informers = createInformers({ client, clock, random, logger: silentLogger, deepFreeze: true });
    const maps = informers.for(refs.configMaps);
    const seen: string[] = [];
    maps.addHandler((event) =>
      seen.push(`${event.type} ${event.object.metadata.namespace}/${event.object.metadata.name}`),
    );
    informers.start();
    const synced = informers.synced();
    await clock.advance(10_000);
    await synced;
    const created = await client.configMaps('shop').create({ metadata: { name: 'new' } });
    await client.configMaps('shop').update({ ...created, data: { k: 'v' } });
    await client.configMaps('default').delete('old');
    await clock.settle();
    expect(seen).toEqual(['added default/old', 'added shop/new', 'updated shop/new', 'deleted default/old']);
    expect(maps.list('shop').map(({ data }) => data)).toEqual([{ k: 'v' }]);
    expect(maps.state.at).toBe('watching');
  });

  test('LW-11 pages are one snapshot', async () => {
    const { client } = await connected();
    for (let i = 0; i < 7; i++) await client.configMaps('default').create({ metadata: { name: `m${i}` } });
    const names: (string | undefined)[] = [];
    for await (const { metadata } of client.configMaps('default').listAll({ pageSize: 3 })) {
      if (names.length === 0) await client.configMaps('default').create({ metadata: { name: 'm99' } });
      names.push(metadata.name);
    }
    expect(names).toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6']);
  });

  test('apply takes ownership of fields', async () => {
    const { client } = await connected();
    const applied = await client
      .configMaps('default')
      .apply({ metadata: { name: 'a' }, data: { k: 'v' } }, { fieldManager: 'test' });
    expect(applied.metadata.managedFields).toMatchObject([{ manager: 'test', operation: 'Apply' }]);
  });
});
