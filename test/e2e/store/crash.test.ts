import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { randomInt, seededRandom } from '@coracle/base';
import { createLmdbStore, systemClock } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from '../bundle.js';

const soak = process.env['CORACLE_SOAK'] === '1';
const rounds = soak ? 60 : 5;

let program: string;
const path = mkdtempSync(join(tmpdir(), 'coracle-crash-'));
const compacted = mkdtempSync(join(tmpdir(), 'coracle-crash-compacted-'));
beforeAll(() => {
  program = bundle(new URL('crash-writer.ts', import.meta.url));
});
afterAll(() => {
  for (const folder of [path, compacted]) rmSync(folder, { recursive: true, force: true });
  rmSync(dirname(program), { recursive: true, force: true });
});

/** The writer's output before it was killed: revision → the write. An incomplete last line does not count. */
interface Testimony {
  readonly acknowledged: ReadonlyMap<number, string>;
  readonly seen: ReadonlyMap<number, string>;
}

test(
  `every acknowledged write survives SIGKILL in the middle of heavy writes, ${rounds} times over`,
  async () => {
    const random = seededRandom(20260101);
    const writes = new Map<number, string>();
    for (let round = 0; round < rounds; round++) {
      const before = Math.max(0, ...writes.keys());
      const { acknowledged, seen } = await runAndKill({ round, afterMs: 20 + randomInt(random, 400) });
      expect(acknowledged.size).toBeGreaterThan(0);
      expect(Math.min(...acknowledged.keys())).toBeGreaterThan(before);
      for (const [revision, name] of [...acknowledged, ...seen]) writes.set(revision, name);
      const history = await readHistory();
      const lost = [...writes].filter(([revision, name]) => history.get(revision) !== name);
      expect(lost).toEqual([]);
      // What was written but not yet acknowledged may have survived too; it must not be taken back later.
      for (const [revision, name] of history) writes.set(revision, name);
    }
  },
  rounds * 20_000,
);

test(
  `every key keeps its last acknowledged value through SIGKILL during compactions, ${rounds} times`,
  async () => {
    const random = seededRandom(20260102);
    /** By key, the newest that was acknowledged or seen of it, or read after a crash. */
    const newest = new Map<string, Written>();
    for (let round = 0; round < rounds; round++) {
      const afterMs = 20 + randomInt(random, 600);
      const { acknowledged, seen } = await runAndKill({ round, afterMs, folder: compacted, compacting: true });
      expect(acknowledged.size).toBeGreaterThan(0);
      for (const [revision, name] of [...acknowledged, ...seen])
        if (revision > (newest.get(keyOf(name))?.revision ?? 0)) newest.set(keyOf(name), { revision, name });
      const stored = await readKeys();
      const lost = [...newest].filter(([key, { revision, name }]) => {
        const found = stored.get(key);
        return !found || found.revision < revision || (found.revision === revision && found.name !== name);
      });
      expect(lost).toEqual([]);
      for (const [key, written] of stored) newest.set(key, written);
    }
  },
  rounds * 20_000,
);

interface Written {
  readonly revision: number;
  readonly name: string;
}

/** The key under which the writer puts what it calls `name`. */
function keyOf(name: string): string {
  const [, writer, count] = name.split('-');
  return `${writer}-${Number(count) % 50}`;
}

/** The value of each key, before and after a compaction up to the present. */
async function readKeys(): Promise<Map<string, Written>> {
  await using store = await createLmdbStore({ path: compacted, clock: systemClock });
  const read = async (prefix: string) => {
    const { items } = await store.list(prefix);
    return new Map(
      items.map(({ key, value, modRevision }) => [
        key.slice(prefix.length),
        { revision: modRevision, name: Buffer.from(value.subarray(0, 40)).toString().split(' ')[0] ?? '' },
      ]),
    );
  };
  const before = await read('/data/');
  expect(await read('/twin/')).toEqual(before);
  await store.compact(await store.currentRevision());
  expect(await read('/data/')).toEqual(before);
  return before;
}

interface Run {
  readonly round: number;
  readonly afterMs: number;
  readonly folder?: string;
  readonly compacting?: boolean;
}

async function runAndKill({ round, afterMs, folder = path, compacting = false }: Run): Promise<Testimony> {
  const args = [program, folder, String(round), ...(compacting ? ['compact'] : [])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), afterMs));
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  const [, signal] = await once(child, 'close');
  expect(signal).toBe('SIGKILL');
  return parseTestimony(output);
}

function parseTestimony(output: string): Testimony {
  const testimony = { acknowledged: new Map<number, string>(), seen: new Map<number, string>() };
  for (const line of output.split('\n').slice(0, -1)) {
    const [kind, revision, name = ''] = line.split(' ');
    (kind === 'ack' ? testimony.acknowledged : testimony.seen).set(Number(revision), name);
  }
  return testimony;
}

/** The whole history from the store; fails if it is out of order or holds half a transaction. */
async function readHistory(): Promise<Map<number, string>> {
  await using store = await createLmdbStore({ path, clock: systemClock });
  const sides = { '/data/': new Map<number, string>(), '/twin/': new Map<number, string>() };
  const revisions: number[] = [];
  await new Promise<void>((resolve, reject) => {
    const watch = store.watch('/', 1, {
      onEvents: (events) => {
        for (const { keyValue } of events) {
          const name = Buffer.from(keyValue.value.subarray(0, 40)).toString().split(' ')[0] ?? '';
          sides[keyValue.key.slice(0, 6) as keyof typeof sides].set(keyValue.modRevision, name);
          revisions.push(keyValue.modRevision);
        }
      },
      onProgress: () => resolve(),
      onError: reject,
    });
    watch.requestProgress();
  });
  expect(sides['/data/']).toEqual(sides['/twin/']);
  const each = [...sides['/data/'].keys()];
  expect(revisions).toEqual(each.flatMap((revision) => [revision, revision]));
  expect(each).toEqual(each.map((_, index) => index + 2));
  expect(await store.currentRevision()).toBe(each.at(-1));
  return sides['/data/'];
}
