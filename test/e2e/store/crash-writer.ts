import { writeSync } from 'node:fs';
import { nextTurn } from '@coracle/base';
import { createLmdbStore, systemClock } from '@coracle/platform-nodejs';

/**
 * Writes as fast as it can, with 32 writers that each wait for their answer, until it is killed; with `compact` behind
 * the round, history is cut all the time.
 * Each answer, and each event of a watch, is printed at once: `ack` or `event`, the revision, and what was written.
 */
const [path = '', round = '', compacting = ''] = process.argv.slice(2);
const store = await createLmdbStore({ path, clock: systemClock });
const padding = 'x'.repeat(2000);
const print = (line: string) => writeSync(1, `${line}\n`);

store.watch('/', (await store.currentRevision()) + 1, {
  onEvents: (events) => {
    for (const { keyValue } of events) {
      if (keyValue.key.startsWith('/data/')) print(`event ${keyValue.modRevision} ${label(keyValue.value)}`);
    }
  },
  onError: (error) => {
    throw error;
  },
});

function label(value: Uint8Array): string {
  return new TextDecoder().decode(value).split(' ')[0] ?? '';
}

async function writer(number: number): Promise<never> {
  for (let count = 0; ; count++) {
    const name = `${round}-${number}-${count}`;
    const value = new TextEncoder().encode(`${name} ${padding}`);
    const { revision } = await store.transact({
      compare: [],
      operations: [
        { kind: 'put', key: `/data/${number}-${count % 50}`, value },
        { kind: 'put', key: `/twin/${number}-${count % 50}`, value },
      ],
    });
    print(`ack ${revision} ${name}`);
  }
}

async function compactor(): Promise<never> {
  let compactedAt = await store.currentRevision();
  for (;;) {
    const oldestRevision = (await store.currentRevision()) - 50;
    if (oldestRevision > compactedAt) await store.compact(oldestRevision);
    else await nextTurn();
    compactedAt = Math.max(oldestRevision, compactedAt);
  }
}

const others = compacting === 'compact' ? [compactor()] : [];
await Promise.all([...others, ...Array.from({ length: 32 }, (_, number) => writer(number))]);
