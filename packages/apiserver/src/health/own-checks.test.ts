import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';
import { checkStore } from './own-checks.js';

describe('health checks of a server', () => {
  test('a log that loses messages fails the check of that name, and the whole endpoint', async () => {
    let isBroken = false;
    const { call } = await startTestServer({
      checkLog: () => {
        if (isBroken) throw new Error('standard error is closed');
      },
    });
    expect((await call('GET', '/livez/log')).status).toBe(200);
    isBroken = true;
    expect((await call('GET', '/livez/log')).status).toBe(500);
    expect((await call('GET', '/livez')).body).toContain('[-]log failed: reason withheld');
  });

  test('caches that are relisted are not in sync', async () => {
    const { call, server } = await startTestServer();
    expect((await call('GET', '/readyz/informer-sync')).status).toBe(200);
    const stored = server.resources.findStored({ group: '', resource: 'pods' });
    Object.defineProperty(stored?.storage.cache, 'loading', { value: Promise.resolve() });
    expect((await call('GET', '/readyz/informer-sync')).status).toBe(500);
    expect((await call('GET', '/livez')).status).toBe(200);
  });
});

describe('KEY-08 the store', () => {
  test('is healthy if it responds, and no check waits', async () => {
    const clock = new VirtualClock();
    await checkStore({ currentRevision: async () => 7 }, clock);
    expect(clock.pending).toBe(0);
  });

  test('is not healthy if it responds too late, or not at all', async () => {
    const clock = new VirtualClock();
    const outcome = checkStore({ currentRevision: () => new Promise(() => undefined) }, clock).catch(String);
    await clock.advance(2_000);
    expect(await outcome).toBe('Error: the store has not responded for 2 seconds');
    await expect(checkStore({ currentRevision: () => Promise.reject(new Error('gone')) }, clock)).rejects.toThrow(
      'gone',
    );
  });
});
