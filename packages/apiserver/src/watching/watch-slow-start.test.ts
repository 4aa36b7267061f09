import type { Store } from '@coracle/store';
import { expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const names = Array.from({ length: 10 }, (_, i) => `map-${i}`);

/** Opens a watch whose client receives one write at a time. */
async function openSlowWatch(query: string, prepare: (store: Store) => Promise<unknown> = async () => {}) {
  const { call, server, store } = await startTestServer();
  for (const name of names) {
    const data = { padding: 'x'.repeat(150_000) };
    await call('POST', configMaps, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data });
  }
  await prepare(store);
  const peer = { user: { name: 'admin', groups: ['system:masters'] } };
  const { body } = await server.exchange({ method: 'GET', path: configMaps, query, headers: {}, peer });
  if (body.kind !== 'stream') throw new Error(`a ${body.kind} body`);
  let text = '';
  let ended = false;
  let drain: () => void = () => undefined;
  body.stream.open({
    write: (chunk) => {
      text += new TextDecoder().decode(chunk);
      return false;
    },
    end: () => {
      ended = true;
    },
    onDrain: (listener) => {
      drain = listener;
    },
    onClose: () => undefined,
  });
  const seen = () =>
    [...text.matchAll(/"type":"(\w+)".*?"name":"([^"]+)"/g)].map(([, type, name]) => `${type} ${name}`);
  return { call, drain: () => drain(), seen, text: () => text, ended: () => ended };
}

test.each([
  ['with all objects', 'watch=1'],
  ['after a revision', 'watch=1&resourceVersion=1'],
])('a watch that begins %s is sent as its client reads, and later events follow', async (_name, query) => {
  const { call, drain, seen } = await openSlowWatch(query);
  const first = seen().length;
  expect(first).toBeLessThan(4);
  await call('DELETE', `${configMaps}/map-0`);
  expect(seen().length).toBe(first);
  for (let i = 0; i < 20; i++) drain();
  expect(seen().filter((event) => event.includes('map-'))).toEqual([
    ...names.map((name) => `ADDED ${name}`),
    'DELETED map-0',
  ]);
});

test.each([
  ['with all objects', 'watch=1'],
  ['after a revision', 'watch=1&resourceVersion=1'],
])('a watch that begins %s and reaches an unreadable event ends with an error', async (_name, query) => {
  const key = '/registry/configmaps/default/map-5-damaged';
  const { drain, text, ended } = await openSlowWatch(query, async (store) => {
    const operations = [{ kind: 'put' as const, key, value: new TextEncoder().encode('no JSON') }];
    await store.transact({ compare: [], operations });
  });
  for (let i = 0; i < 20; i++) drain();
  expect([text().includes('"type":"ERROR"'), ended()]).toEqual([true, true]);
});
