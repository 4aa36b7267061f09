import { refs } from '@coracle/api';
import { conflict, isConflict, notFound, reasonOf } from '@coracle/apimachinery';
import { seededRandom, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { createClient } from '../create-client.js';
import { MemoryApi } from '../memory-api.fixture.js';
import { retryOnConflict } from './retry.js';
import { waitFor, waitForObject } from './wait-for.js';

const random = seededRandom(1);
const pods = { group: '', resource: 'pods' };

describe('retryOnConflict', () => {
  const cases = [
    { name: 'tries again until there is no conflict', conflicts: 2, tries: 3, fails: false },
    { name: 'gives up after five tries', conflicts: 9, tries: 5, fails: true },
    { name: 'tries once when all is well', conflicts: 0, tries: 1, fails: false },
  ];

  test.each(cases)('$name', async ({ conflicts, tries, fails }) => {
    const clock = new VirtualClock();
    let tried = 0;
    const result = retryOnConflict(
      async () => {
        if (tried++ < conflicts) throw conflict(pods, 'web', 'changed');
      },
      { clock, random },
    ).then(
      () => false,
      (error) => isConflict(error),
    );
    await clock.advance(1_000);
    expect({ tried, failed: await result }).toEqual({ tried: tries, failed: fails });
  });

  test('throws any other failure at once', async () => {
    let tried = 0;
    const clock = new VirtualClock();
    const failing = retryOnConflict(
      async () => {
        tried++;
        throw notFound(pods, 'web');
      },
      { clock, random },
    );
    await expect(failing).rejects.toThrow('not found');
    expect(tried).toBe(1);
  });
});

describe('waitFor', () => {
  test('calls the condition at once and then in each interval', async () => {
    const clock = new VirtualClock();
    let count = 0;
    const waiting = waitFor(() => (++count === 3 ? 'there' : undefined), { clock, timeoutMs: 1_000, intervalMs: 100 });
    await clock.advance(199);
    expect(count).toBe(2);
    await clock.advance(1);
    expect(await waiting).toBe('there');
  });

  test('times out', async () => {
    const clock = new VirtualClock();
    const waiting = waitFor(() => false as const, { clock, timeoutMs: 1_000 }).catch(reasonOf);
    await clock.advance(1_000);
    expect({ reason: await waiting, timers: clock.pending }).toEqual({ reason: 'Timeout', timers: 0 });
  });
});

describe('waitForObject', () => {
  const path = '/api/v1/namespaces/default/pods/web';
  const pod = (labels: Record<string, string>) => ({ metadata: { name: 'web', namespace: 'default', labels } });

  function waiting(until: (object: unknown) => boolean) {
    const api = new MemoryApi();
    const clock = new VirtualClock();
    const client = createClient({ transport: api, user: { name: 'x', groups: [] } });
    const start = () =>
      waitForObject({ client, clock, ref: refs.pods, namespace: 'default', name: 'web', until, timeoutMs: 60_000 });
    return { api, clock, start };
  }

  test('returns the object when it meets the condition, across a cut watch', async () => {
    const { api, clock, start } = waiting(
      (object) => (object as ReturnType<typeof pod> | undefined)?.metadata.labels?.['ready'] === 'yes',
    );
    const found = start();
    await clock.settle();
    api.put(path, pod({}));
    api.closeWatches();
    api.put(path, pod({ ready: 'yes' }));
    await clock.advance(5_000);
    expect((await found)?.metadata.labels).toEqual({ ready: 'yes' });
    expect({ watchers: api.watchers, timers: clock.pending }).toEqual({ watchers: 0, timers: 0 });
  });

  test('can wait for the deletion of an object', async () => {
    const { api, clock, start } = waiting((object) => object === undefined);
    api.put(path, pod({}));
    const gone = start();
    await clock.settle();
    api.remove(path);
    expect(await gone).toBe(undefined);
  });

  test('times out', async () => {
    const { api, clock, start } = waiting(() => false);
    const result = start().catch(reasonOf);
    await clock.advance(61_000);
    expect({ reason: await result, watchers: api.watchers }).toEqual({ reason: 'Timeout', watchers: 0 });
  });
});
