import { VirtualClock } from '@coracle/base';
import { createMemoryStore } from '@coracle/store';
import { describe, expect, test } from 'vitest';
import { namesIn, startTestServer } from '../server.fixture.js';

const configMaps = '/api/v1/namespaces/default/configmaps';

async function twoServers() {
  const clock = new VirtualClock();
  const store = await createMemoryStore({ clock });
  const [writer, reader] = [await startTestServer({ store, clock }), await startTestServer({ store, clock })];
  return { writer, reader };
}

describe('FLOW-01 CACHE-24 a read without a version', () => {
  test('CACHE-23 returns writes of another server', async () => {
    const { writer, reader } = await twoServers();
    for (const name of ['a', 'b', 'c']) {
      await writer.call('POST', configMaps, { metadata: { name } });
      expect((await reader.call('GET', `${configMaps}/${name}`)).status).toBe(200);
    }
    await writer.call('DELETE', `${configMaps}/b`);
    expect(namesIn((await reader.call('GET', configMaps)).body)).toEqual(['a', 'c']);
    expect((await reader.call('GET', `${configMaps}/b`)).status).toBe(404);
  });
});

describe('CACHE-26 a list of three', () => {
  test.each([
    ['', ['a', 'b', 'c'], false],
    ['limit=2', ['a', 'b'], true],
    ['resourceVersion=0', ['a', 'b', 'c'], false],
    ['resourceVersion=0&limit=2', ['a', 'b', 'c'], false],
    ['resourceVersion=FIRST', ['a', 'b', 'c'], false],
    ['resourceVersion=FIRST&resourceVersionMatch=NotOlderThan&limit=2', ['a', 'b'], true],
    ['resourceVersion=FIRST&limit=2', ['a'], false],
    ['resourceVersion=FIRST&resourceVersionMatch=Exact', ['a'], false],
  ])('by ?%s has %j, and continues: %s', async (query, names, goesOn) => {
    const { call } = await startTestServer();
    const { body: first } = await call('POST', configMaps, { metadata: { name: 'a' } });
    for (const name of ['b', 'c']) await call('POST', configMaps, { metadata: { name } });
    const filledQuery = query.replace('FIRST', first.metadata.resourceVersion);
    const { body } = await call('GET', `${configMaps}?${filledQuery}`);
    expect([namesIn(body), body.metadata.continue !== undefined]).toEqual([names, goesOn]);
  });
});

describe('CACHE-23 an object', () => {
  test.each([
    ['resourceVersion=0', 200],
    ['resourceVersion=1', 200],
    ['', 200],
  ])('by ?%s is there', async (query, status) => {
    const { call } = await startTestServer();
    await call('POST', configMaps, { metadata: { name: 'a' } });
    expect((await call('GET', `${configMaps}/a?${query}`)).status).toBe(status);
    expect((await call('GET', `${configMaps}/b?${query}`)).body).toMatchObject({ code: 404, reason: 'NotFound' });
  });
});
