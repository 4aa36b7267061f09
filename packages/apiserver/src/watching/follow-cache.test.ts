import { refs } from '@coracle/api';
import { expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';
import { followCache } from './follow-cache.js';

async function cacheOf(ref: Parameters<typeof findIn>[1]) {
  const test = await startTestServer();
  return { ...test, cache: findIn(test.server, ref) };
}

function findIn({ parts }: Awaited<ReturnType<typeof startTestServer>>['server'], ref: typeof refs.configMaps) {
  const cache = parts.resources.findStored(ref)?.storage.cache;
  if (!cache) throw new Error(`${ref.resource} are not stored`);
  return cache;
}

test('follows a resource across gaps: each ends with a call of onReload', async () => {
  const { cache, clock, call } = await cacheOf(refs.configMaps);
  const calls: string[] = [];
  const before = cache.watchers.size;
  const following = followCache(cache, {
    onEvent: ({ key }) => calls.push(key),
    onReload: () => calls.push(`reloaded with ${cache.size}`),
  });
  for (let gaps = 1; gaps <= 3; gaps++) {
    cache.onGap();
    cache.onGap();
    await call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: `a${gaps}` } });
    await clock.settle();
  }
  expect(calls.filter((one) => one.startsWith('reloaded'))).toHaveLength(3);
  await call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'b' } });
  expect(calls.at(-1)).toBe('/registry/configmaps/default/b');
  expect(cache.watchers.size).toBe(before + 1);
  cache.onGap();
  following[Symbol.dispose]();
  await clock.settle();
  expect(cache.watchers.size).toBe(before);
});

test('onReload is called after a follower has thrown, which continues even if onReload throws', async () => {
  const { cache, clock, call } = await cacheOf(refs.configMaps);
  const calls: string[] = [];
  using _ = followCache(cache, {
    onEvent: ({ key }) => {
      calls.push(key);
      if (key.endsWith('/bad')) throw new Error('cannot be read');
    },
    onReload: () => {
      calls.push('reload');
      throw new Error('cannot be read');
    },
  });
  for (const name of ['bad', 'good']) {
    await call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name } });
    await clock.settle();
  }
  expect(calls).toEqual(['/registry/configmaps/default/bad', 'reload', '/registry/configmaps/default/good']);
});

test('a closed cache calls no followers', async () => {
  const { cache, clock } = await cacheOf(refs.configMaps);
  let reloads = 0;
  using _ = followCache(cache, { onEvent: () => undefined, onReload: () => reloads++ });
  cache[Symbol.dispose]();
  await clock.settle();
  expect({ reloads, watchers: cache.watchers.size }).toEqual({ reloads: 0, watchers: 0 });
});

test.each([
  refs.customResourceDefinitions,
  refs.apiServices,
  refs.flowSchemas,
  refs.priorityLevelConfigurations,
  refs.services,
])('the parts of the server that follow $resource are as many after gaps as before', async (ref) => {
  const { cache, clock } = await cacheOf(ref as typeof refs.configMaps);
  await clock.settle();
  const before = cache.watchers.size;
  expect(before).toBeGreaterThan(0);
  for (let gaps = 0; gaps < 4; gaps++) {
    cache.onGap();
    await clock.settle();
  }
  expect(cache.watchers.size).toBe(before);
});
