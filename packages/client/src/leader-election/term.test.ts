import { VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import { createClient } from '../create-client.js';
import { MemoryApi } from '../memory-api.fixture.js';
import { Term } from './term.js';

function setUp() {
  const clock = new VirtualClock();
  const term = new Term(clock);
  const transport = term.wrap(new MemoryApi());
  const client = createClient({ transport, user: { name: 'a', groups: [] } });
  let made = 0;
  const write = () =>
    client
      .configMaps('default')
      .create({ metadata: { name: `c${made++}` } })
      .then(
        () => 'written',
        (error: Error) => error.message,
      );
  return { clock, term, write, read: () => client.configMaps('default').list() };
}

const over = 'this process does not hold the lease of the leader any more';

test('a leader writes until others may lead, and again when it has renewed its lease', async () => {
  const { clock, term, write, read } = setUp();
  const outcomes = [await write()];
  term.renewed(clock.elapsed() + 15_000);
  await clock.advance(14_999);
  outcomes.push(await write());
  await clock.advance(1);
  outcomes.push(await write());
  expect((await read()).items).toHaveLength(2);
  term.renewed(clock.elapsed() + 15_000);
  outcomes.push(await write());
  expect(outcomes).toEqual(['written', 'written', over, 'written']);
});

test('the time of day has no part in it', async () => {
  const { clock, term, write } = setUp();
  term.renewed(clock.elapsed() + 15_000);
  clock.setForward(3_600_000);
  expect(await write()).toBe('written');
});
