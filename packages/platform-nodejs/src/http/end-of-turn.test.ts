import { expect, test } from 'vitest';
import { EndOfTurn } from './end-of-turn.js';

test('callers that wait in a turn continue together and in order, later ones in the next turn', async () => {
  const turn = new EndOfTurn();
  const steps: string[] = [];
  const waiting = ['a', 'b', 'c'].map(async (name) => {
    await turn.wait();
    steps.push(name);
    if (name !== 'a') return;
    await turn.wait();
    steps.push('a again');
  });
  await Promise.resolve();
  expect(steps).toEqual([]);
  await Promise.all(waiting);
  expect(steps).toEqual(['a', 'b', 'c', 'a again']);
});

test('long work continues last, in the same turn', async () => {
  const turn = new EndOfTurn();
  const steps: string[] = [];
  const last = turn.waitLast().then(() => steps.push('long'));
  const others = ['a', 'b'].map((name) => turn.wait().then(() => steps.push(name)));
  setImmediate(() => steps.push('next turn'));
  await Promise.all([last, ...others]);
  expect(steps).toEqual(['a', 'b', 'long']);
});
