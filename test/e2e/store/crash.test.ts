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
beforeAll(() => {
  program = bundle(new URL('crash-writer.ts', import.meta.url));
});
afterAll(() => {
  rmSync(path, { recursive: true, force: true });
  rmSync(dirname(program), { recursive: true, force: true });
});

/** What the writer said before it died: revision → what was written. A last line that was cut off does not count. */
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
      const { acknowledged, seen } = await runAndKill(round, 20 + randomInt(random, 400));
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

async function runAndKill(round: number, afterMs: number): Promise<Testimony> {
  const child = spawn(process.execPath, [program, path, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] });
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

/** The whole history as the store tells it; fails if it is out of order or holds half a transaction. */
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
