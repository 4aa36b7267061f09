import { describe, expect, test } from 'vitest';
import { startTestServer, type TestWatch } from '../server.fixture.js';

const path = '/api/v1/namespaces/default/events';

const event = (name: string, reason = 'Started') => ({
  metadata: { name },
  involvedObject: { kind: 'Pod', name: 'web', namespace: 'default' },
  reason,
  type: 'Normal',
});

const eventLines = ({ events }: TestWatch): string[] =>
  events.map(({ type, object }) => `${type} ${object.metadata?.name ?? object.reason ?? ''}`.trim());

async function startWithEvents(count: number) {
  const server = await startTestServer();
  for (let i = 0; i < count; i++)
    await server.call('POST', path, event(`e${String(i).padStart(4, '0')}`, i % 10 === 0 ? 'Killing' : 'Started'));
  return server;
}

describe('a resource that is not cached', () => {
  test('is listed in pages, also with a selector, and no page repeats or misses an object', async () => {
    const { call } = await startWithEvents(1_203);
    for (const { query, want } of [
      { query: 'limit=500', want: 1_203 },
      { query: 'limit=50&fieldSelector=reason%3DKilling', want: 121 },
    ]) {
      const names: string[] = [];
      let token = '';
      do {
        const { body } = await call('GET', `${path}?${query}&continue=${encodeURIComponent(token)}`);
        names.push(...body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name));
        token = body.metadata.continue ?? '';
      } while (token !== '');
      expect(names).toHaveLength(want);
      expect(new Set(names).size).toBe(want);
    }
  });

  test('continues a list at its revision', async () => {
    const { call } = await startWithEvents(20);
    const { body } = await call('GET', `${path}?limit=10`);
    await call('DELETE', `${path}/e0015`);
    await call('POST', path, event('e0015b'));
    const rest = await call('GET', `${path}?limit=100&continue=${encodeURIComponent(body.metadata.continue)}`);
    expect(body.metadata.remainingItemCount).toBe(10);
    expect(rest.body.items).toHaveLength(10);
    expect((await call('GET', path)).body.items).toHaveLength(20);
  });

  test('is watched from a revision, with the last state of deleted objects', async () => {
    const { call, clock, watch } = await startTestServer();
    const { body } = await call('POST', path, event('a'));
    await call('POST', path, event('b'));
    const seen = await watch(`${path}?watch=1&resourceVersion=${body.metadata.resourceVersion}`);
    await call('PATCH', `${path}/a`, { count: 7 }, { 'content-type': 'application/merge-patch+json' });
    await call('DELETE', `${path}/a`);
    await clock.settle();
    expect(eventLines(seen)).toEqual(['ADDED b', 'MODIFIED a', 'DELETED a']);
    expect(seen.events[2]?.object.count).toBe(7);
  });

  test('is watched through a selector, which objects begin and cease to match', async () => {
    const { call, clock, watch } = await startTestServer();
    await call('POST', path, event('other'));
    const seen = await watch(`${path}?watch=1&fieldSelector=reason%3DKilling`);
    const { body } = await call('POST', path, event('a'));
    await call('PUT', `${path}/a`, { ...body, reason: 'Killing' });
    await call('PUT', `${path}/a`, { ...body, metadata: { name: 'a' }, reason: 'Started' });
    await clock.settle();
    expect(eventLines(seen)).toEqual(['ADDED a', 'DELETED a']);
  });

  test('a watch begins with all objects, and bookmarks advance while nothing changes', async () => {
    const { call, clock, watch } = await startWithEvents(2);
    const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    const seen = await watch(`${path}?watch=1&allowWatchBookmarks=true&${initial}`);
    const { body } = await call('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 's' } });
    await clock.advance(61_000);
    expect(eventLines(seen)).toEqual(['ADDED e0000', 'ADDED e0001', 'BOOKMARK', 'BOOKMARK']);
    expect(Number(seen.events[3]?.object.metadata.resourceVersion)).toBeGreaterThanOrEqual(
      Number(body.metadata.resourceVersion),
    );
  });

  test('a watch from a revision that was compacted is answered that it has expired', async () => {
    const { call, clock, store, watch } = await startWithEvents(3);
    await store.compact(await store.currentRevision());
    const seen = await watch(`${path}?watch=1&resourceVersion=2`);
    await clock.settle();
    expect(eventLines(seen)).toEqual(['ERROR Expired']);
    expect(seen.ended).toBe(true);
    expect((await call('GET', path)).body.items).toHaveLength(3);
  });
});
