import { reasonOf } from '@coracle/apimachinery';
import { seededRandom, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { createClient } from '../create-client.js';
import { MemoryApi } from '../memory-api.fixture.js';
import { resumingWatch } from './resuming-watch.js';

const path = (name: string) => `/api/v1/namespaces/default/pods/${name}`;
const pod = (name: string) => ({ metadata: { name, namespace: 'default' } });

function watching(signal?: AbortSignal) {
  const api = new MemoryApi();
  const clock = new VirtualClock();
  const client = createClient({ transport: api, user: { name: 'x', groups: [] } });
  const seen: string[] = [];
  const options = { clock, random: seededRandom(1), resourceVersion: String(api.revision), ...(signal && { signal }) };
  const ended = (async () => {
    for await (const event of resumingWatch(client.pods('default'), options))
      if (event.type !== 'ERROR') seen.push(`${event.type} ${event.object.metadata.name}`);
  })().catch((error: unknown) => reasonOf(error) ?? (error as Error).message);
  return { api, clock, seen, ended };
}

describe('a watch that resumes', () => {
  test('delivers every change once, across closed watches and bookmarks', async () => {
    const { api, clock, seen } = watching();
    await clock.settle();
    api.put(path('a'), pod('a'));
    api.bookmark();
    api.closeWatches();
    api.put(path('b'), pod('b'));
    await clock.advance(5_000);
    api.closeWatches();
    api.remove(path('a'));
    await clock.advance(5_000);
    expect(seen).toEqual(['ADDED a', 'ADDED b', 'DELETED a']);
  });

  test('ends with the failure that its version is too old', async () => {
    const { api, clock, ended } = watching();
    await clock.settle();
    api.closeWatches();
    api.put(path('a'), pod('a'));
    api.put(path('b'), pod('b'));
    api.compact();
    await clock.advance(5_000);
    expect(await ended).toBe('Expired');
  });

  test('ends by its signal', async () => {
    const aborter = new AbortController();
    const { api, clock, ended } = watching(aborter.signal);
    await clock.settle();
    aborter.abort(new Error('enough'));
    expect(await ended).toBe('enough');
    await clock.settle();
    expect({ watchers: api.watchers, timers: clock.pending }).toEqual({ watchers: 0, timers: 0 });
  });
});
