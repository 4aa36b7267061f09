import { once } from 'node:events';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomInt, seededRandom, VirtualClock } from '@coracle/base';
import { createEmbeddedStore, StoreError } from '@coracle/store';
import { describeBackend, describeStore, describeStoreModel, type StoreHarness } from '@coracle/testing';
import { open } from 'lmdb';
import { afterAll, describe, expect, test } from 'vitest';
import { LmdbBackend } from './lmdb-backend.js';
import { valueDictionary } from './value-dictionary.js';

const root = mkdtempSync(join(tmpdir(), 'coracle-lmdb-'));
let made = 0;
const newPath = () => join(root, String(made++));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describeBackend('lmdb', () => LmdbBackend.open({ path: newPath() }));

async function makeStore(): Promise<StoreHarness> {
  const clock = new VirtualClock();
  const store = await createEmbeddedStore({ clock, backend: await LmdbBackend.open({ path: newPath() }) });
  return { store, passTime: (ms) => clock.advance(ms), [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

describeStore('lmdb', makeStore);
describeStoreModel('lmdb', makeStore, { runs: 10, steps: 300 });

const bytes = (text: string) => new TextEncoder().encode(text);

async function filledPath(): Promise<string> {
  const path = newPath();
  await using backend = await LmdbBackend.open({ path });
  await backend.write(Array.from({ length: 500 }, (_, i) => ({ key: bytes(`k${i}`), value: new Uint8Array(2000) })));
  return path;
}

async function failureOf(path: string): Promise<StoreError> {
  const failure = await LmdbBackend.open({ path }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!StoreError.is(failure)) throw new Error(`expected a StoreError, not ${failure}`);
  return failure;
}

describe('a database on disk', () => {
  test('contains the data written before it was closed', async () => {
    const path = await filledPath();
    await using backend = await LmdbBackend.open({ path });
    expect(backend.get(bytes('k499'))?.length).toBe(2000);
  });

  test('is open once: a second open fails with the holder and a hint', async () => {
    const path = newPath();
    await using _ = await LmdbBackend.open({ path });
    const failure = await failureOf(path);
    expect(failure.code).toBe('Closed');
    expect(failure.message).toContain(`in use by process ${process.pid}`);
    expect(failure.message).toContain('choose another data directory');
  });

  test('is not opened if a process of an earlier version has it open', async () => {
    const path = await filledPath();
    const raw = open({ path, keyEncoding: 'binary', encoding: 'binary' });
    const onLinux = process.platform === 'linux';
    const startTime = onLinux ? readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ')[19] : '';
    const owner = JSON.stringify({ pid: process.pid, startTime });
    await raw.put(Uint8Array.from([0xff, ...bytes('lock')]), Buffer.from(owner));
    await raw.close();
    expect((await failureOf(path)).code).toBe('Closed');
  });

  /** The mark of a process; its pid is that of another container if no process here has it. */
  async function marked(owner: object): Promise<string> {
    const path = await filledPath();
    const raw = open({ path, keyEncoding: 'binary', encoding: 'binary' });
    await raw.put(Uint8Array.from([0, ...bytes('lock')]), Buffer.from(JSON.stringify(owner)));
    await raw.close();
    return path;
  }

  test.skipIf(process.platform === 'win32')('is not opened beside a process of another container', async () => {
    const path = await marked({ pid: 1, startTime: 'of another container', socket: 'owner-1-a.sock' });
    const owner = createServer().listen(join(path, 'owner-1-a.sock'));
    await once(owner, 'listening');
    expect((await failureOf(path)).code).toBe('Closed');
    owner.close();
    await once(owner, 'close');
    await (await LmdbBackend.open({ path }))[Symbol.asyncDispose]();
    expect(readdirSync(path).filter((name) => name.endsWith('.sock'))).toEqual([]);
  });

  test.skipIf(process.platform !== 'linux')('is opened after a process whose pid another one has', async () => {
    const startTime = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ')[19];
    const path = await marked({ pid: process.pid, startTime, socket: 'owner-1-a.sock' });
    writeFileSync(join(path, 'owner-1-a.sock'), '');
    await using _ = await LmdbBackend.open({ path });
    expect(readdirSync(path).filter((name) => name.endsWith('.sock'))).toHaveLength(1);
    expect((await failureOf(path)).code).toBe('Closed');
  });

  test('fills its pages with what is written at its end', async () => {
    await using backend = await LmdbBackend.open({ path: newPath() });
    const size = 280;
    const count = 4_000;
    const key = (index: number) => bytes(`r${`${index}`.padStart(8, '0')}`);
    for (let index = 0; index < count; index += 8)
      await backend.write(
        Array.from({ length: 8 }, (_, i) => ({ key: key(index + i), value: new Uint8Array(size).fill(i) })),
      );
    expect(await backend.sizeBytes()).toBeLessThan(count * (size + 17) * 1.3);
  });

  test('stores permanent data densely, however much was written and deleted in between', async () => {
    const backend = await LmdbBackend.open({ path: newPath() });
    await using store = await createEmbeddedStore({ clock: new VirtualClock(), backend });
    const random = seededRandom(7);
    const put = (key: string) => {
      const value = Uint8Array.from({ length: 280 }, () => 32 + randomInt(random, 90));
      return { kind: 'put' as const, key, value };
    };
    const lasting = 3_000;
    for (let made = 0; made < lasting; made += 100) {
      const writes = Array.from({ length: 100 }, (_, i) => {
        const passing = Array.from({ length: 9 }, (_, n) => put(`/passes/${(i % 10) * 10 + n}`));
        return store.transact({ compare: [], operations: [...passing, put(`/lasts/${made + i}`)] });
      });
      await Promise.all(writes);
      await store.compact(await store.currentRevision());
    }
    expect((await store.list('/lasts/')).items.length).toBe(lasting);
    // With each record, and with each entry of the index, go its key and some twenty bytes.
    expect(await store.sizeBytes?.()).toBeLessThan(lasting * (280 + 40 + 60) * 2 + 1_000_000);
  }, 60_000);

  const damages: Record<string, (file: string) => void> = {
    'other content': (file) => writeFileSync(file, Buffer.alloc(100_000, 'x')),
    'zeros at its head': (file) => writeFileSync(file, Buffer.alloc(4096), { flag: 'r+' }),
    'half of it': (file) => truncateSync(file, Math.floor(statSync(file).size / 2)),
    'a few bytes': (file) => truncateSync(file, 100),
  };
  test.each(Object.entries(damages))('with %s is refused as damaged, with a hint', async (_, damage) => {
    const source = await filledPath();
    const path = newPath();
    await (await LmdbBackend.open({ path }))[Symbol.asyncDispose]();
    copyFileSync(join(source, 'data.mdb'), join(path, 'data.mdb'));
    damage(join(path, 'data.mdb'));
    const failure = await failureOf(path);
    expect(failure.code).toBe('Corrupt');
    expect(failure.message).toContain('Restore the directory from a backup');
  });

  test('of another program is rejected', async () => {
    const backend = await LmdbBackend.open({ path: await filledPath() });
    const failure = await createEmbeddedStore({ backend, clock: new VirtualClock() }).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toSatisfy((error) => StoreError.is(error, 'Corrupt'));
  });
});

test('reports its size on disk', async () => {
  const path = newPath();
  const backend = await LmdbBackend.open({ path });
  await using store = await createEmbeddedStore({ clock: new VirtualClock(), backend });
  expect(await store.sizeBytes?.()).toBe(statSync(join(path, 'data.mdb')).size);
});

/** The database as versions before this one opened it: lmdb compresses. */
const openCompressed = (path: string) =>
  open<Uint8Array, Uint8Array>({
    path,
    keyEncoding: 'binary',
    encoding: 'binary',
    compression: { threshold: 300, dictionary: Buffer.from(valueDictionary) },
    noSubdir: false,
  });

describe('compressed values', () => {
  const pod = (i: number) =>
    bytes(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p${i}","uid":"${i}"}}`.repeat(i));
  const values = Array.from({ length: 200 }, (_, i) => ({ key: bytes(`k${i}`), value: pod(i) }));

  const nothing = Buffer.from('nothing');

  test('are read that lmdb compressed', async () => {
    const path = newPath();
    const before = openCompressed(path);
    for (const { key, value } of values) before.putSync(key, value);
    await before.close();
    await using backend = await LmdbBackend.open({ path });
    const wrong = values.filter(({ key, value }) => Buffer.compare(backend.get(key) ?? nothing, value) !== 0);
    expect(wrong).toEqual([]);
  });

  test('can be read by lmdb', async () => {
    const path = newPath();
    const backend = await LmdbBackend.open({ path });
    await backend.write(values);
    await backend[Symbol.asyncDispose]();
    const database = openCompressed(path);
    const wrong = values.filter(({ key, value }) => Buffer.compare(database.getBinary(key) ?? nothing, value) !== 0);
    expect(wrong).toEqual([]);
    await database.close();
    expect(statSync(join(path, 'data.mdb')).size).toBeLessThan(400_000);
  });
});
