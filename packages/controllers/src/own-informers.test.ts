import { refs } from '@coracle/api';
import { seededRandom, silentLogger, VirtualClock } from '@coracle/base';
import { createClient, createInformers } from '@coracle/client';
import { startPermissiveApiServer } from '@coracle/testing';
import { expect, test } from 'vitest';
import { ownInformers } from './own-informers.js';

test('a controller waits for its own informers, and not for one of another that cannot sync', async () => {
  const clock = new VirtualClock();
  const server = await startPermissiveApiServer({ clock });
  const client = createClient({ transport: { exchange: server.exchange }, user: { name: 'admin', groups: [] } });
  const shared = createInformers({ client, clock, random: seededRandom(1), logger: silentLogger });
  const [stuck, well] = [ownInformers(shared), ownInformers(shared)];
  const missing = { ...refs.pods, group: 'gone.example.org', version: 'v1', resource: 'things' };
  stuck.for(missing);
  const pods = well.for(refs.pods);
  shared.start();
  const synced: string[] = [];
  void well.synced().then(() => synced.push('well'));
  void stuck.synced().then(() => synced.push('stuck'));
  await clock.advance(60_000);
  expect({ synced, pods: pods.hasSynced }).toEqual({ synced: ['well'], pods: true });
  await shared[Symbol.asyncDispose]();
});
