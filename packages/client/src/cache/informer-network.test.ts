import { refs } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import { type Random, randomInt, seededRandom, silentLogger, VirtualClock } from '@coracle/base';
import { startPermissiveApiServer } from '@coracle/testing';
import { describe, expect, test } from 'vitest';
import { createClient } from '../create-client.js';
import { MemoryApi } from '../memory-api.fixture.js';
import { VirtualNetwork } from '../virtual-network.fixture.js';
import type { InformerEvent } from './informer.js';
import { createInformers } from './informers.js';

const user = { name: 'tester', groups: [] };
const collection = '/api/v1/pods';
const names = Array.from({ length: 20 }, (_, i) => `pod-${i}`);
const pathOf = (name: string) => `/api/v1/namespaces/default/pods/${name}`;

/** State that a handler derives from its events alone. Each event must be consistent with it. */
class Believer {
  readonly objects = new Map<string, KubeObject>();
  readonly versions: number[] = [];
  readonly complaints: string[] = [];

  receive(event: InformerEvent<KubeObject>): void {
    const { name = '', resourceVersion = '' } = event.object.metadata;
    const entry = this.objects.get(name);
    const version = Number(resourceVersion);
    if (event.type === 'added' && entry) this.complaints.push(`${name} was added twice`);
    if (event.type !== 'added' && !entry) this.complaints.push(`${name} was ${event.type} but never added`);
    if (event.type === 'updated' && event.previous !== entry)
      this.complaints.push(`${name} was updated from what it never was`);
    const before = Number(entry?.metadata.resourceVersion ?? 0);
    if (event.type === 'updated' && version <= before)
      this.complaints.push(`${name} went from ${before} to ${version}`);
    if (event.type === 'deleted') this.objects.delete(name);
    else this.objects.set(name, event.object);
    if (event.type !== 'deleted' || !event.stale) this.versions.push(version);
  }
}

function step(api: MemoryApi, network: VirtualNetwork, options: { random: Random; compacts: boolean }): void {
  const { random, compacts } = options;
  const name = names[randomInt(random, names.length)] as string;
  const dice = random.next();
  if (dice < 0.6) api.put(pathOf(name), { metadata: { name, namespace: 'default' } });
  else if (dice < 0.8) api.remove(pathOf(name));
  else if (dice < 0.9) network.cutOne();
  else if (dice < 0.92) api.closeWatches();
  else if (dice < 0.94) api.bookmark();
  else if (dice < 0.96) network.trouble = random.next();
  else if (dice < 0.98) network.maxDelayMs = 1 + randomInt(random, 500);
  else if (compacts && dice < 0.985) api.compact();
}

const runs = [
  { seed: 1, compacts: false, watchList: true },
  { seed: 2, compacts: true, watchList: true },
  { seed: 3, compacts: false, watchList: false },
  { seed: 4, compacts: true, watchList: false },
];

describe('on a network that disconnects, delays and reorders, for 10,000 steps', () => {
  test.each(runs)(
    'no event is lost and none comes twice (seed $seed, compacts: $compacts, WatchList: $watchList)',
    async (run) => {
      const random = seededRandom(run.seed);
      const clock = new VirtualClock();
      const api = new MemoryApi();
      api.supportsWatchList = run.watchList;
      const network = new VirtualNetwork({ exchange: api.exchange, clock, random });
      const client = createClient({ transport: network, user });
      await using informers = createInformers({ client, clock, random, logger: silentLogger, deepFreeze: true });
      const pods = informers.for(refs.pods);
      const believer = new Believer();
      pods.addHandler((event) => believer.receive(event));
      informers.start();
      await clock.advance(2_000);

      for (let i = 0; i < 10_000; i++) {
        step(api, network, { random, compacts: run.compacts });
        if (random.next() < 0.2) await clock.advance(randomInt(random, 200));
      }
      network.trouble = 0;
      await clock.advance(120_000);

      const there = versionsOf(api.objects(collection));
      expect(versionsOf(pods.list())).toEqual(there);
      expect(versionsOf([...believer.objects.values()])).toEqual(there);
      expect(believer.complaints).toEqual([]);
      expect(new Set(believer.versions).size).toBe(believer.versions.length);
      // Without compaction every single change is available, and must have been delivered.
      if (!run.compacts) expect(believer.versions).toEqual(allVersions(api, believer.versions[0] as number));
      expect(network.connections).toBe(1);
    },
  );
});

test('the same with the API server, and writes of a client without network faults', async () => {
  const random = seededRandom(5);
  const clock = new VirtualClock();
  const server = await startPermissiveApiServer({ clock, random });
  const network = new VirtualNetwork({ exchange: server.exchange, clock, random });
  const untroubled = createClient({ transport: { exchange: server.exchange }, user });
  const maps = untroubled.configMaps('default');
  const client = createClient({ transport: network, user });
  await using informers = createInformers({ client, clock, random, logger: silentLogger, deepFreeze: true });
  const copy = informers.for(refs.configMaps);
  const believer = new Believer();
  copy.addHandler((event) => believer.receive(event));
  informers.start();
  await clock.advance(2_000);

  const written: number[] = [];
  for (let i = 0; i < 3_000; i++) {
    const name = names[randomInt(random, names.length)] as string;
    const dice = random.next();
    if (dice < 0.6)
      written.push(
        versionOf(
          await maps.apply({ metadata: { name }, data: { step: String(i) } }, { fieldManager: 'test', force: true }),
        ),
      );
    else if (dice < 0.8) await maps.delete(name).catch(() => undefined);
    else if (dice < 0.9) network.cutOne();
    else if (dice < 0.93) network.trouble = random.next();
    else if (dice < 0.96) network.maxDelayMs = 1 + randomInt(random, 500);
    if (random.next() < 0.2) await clock.advance(randomInt(random, 200));
  }
  network.trouble = 0;
  await clock.advance(120_000);

  const there = versionsOf((await untroubled.configMaps().list()).items);
  expect(versionsOf(copy.list())).toEqual(there);
  expect(versionsOf([...believer.objects.values()])).toEqual(there);
  expect(believer.complaints).toEqual([]);
  const distinct = new Set(believer.versions);
  expect(distinct.size).toBe(believer.versions.length);
  expect(written.filter((version) => !distinct.has(version))).toEqual([]);
});

function versionOf({ metadata }: KubeObject): number {
  return Number(metadata.resourceVersion);
}

function versionsOf(objects: readonly KubeObject[]): Record<string, string | undefined> {
  return Object.fromEntries(objects.map(({ metadata }) => [metadata.name, metadata.resourceVersion]).sort());
}

/** Every revision is a change of a pod: nothing else is written in this test. */
function allVersions(api: MemoryApi, first: number): number[] {
  return Array.from({ length: api.revision - first + 1 }, (_, i) => first + i);
}
