import { nextTurn } from '@coracle/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PriorityWorkQueue } from './priority-work-queue.js';
import { FifoWorkQueue, type WorkQueue } from './work-queue.js';

const queues = [
  { kind: 'FifoWorkQueue', make: (): WorkQueue<string> => new FifoWorkQueue<string>() },
  { kind: 'PriorityWorkQueue', make: (): WorkQueue<string> => new PriorityWorkQueue<string>() },
];

describe.each(queues)('$kind', ({ make }) => {
  const cases = [
    { name: 'WQ-4 hands keys out in the order they were added', adds: ['b', 'a', 'c'], taken: ['b', 'a', 'c'] },
    {
      name: 'WQ-2 WQ-5 hands a key out once however often it was added',
      adds: ['a', 'b', 'a', 'a'],
      taken: ['a', 'b'],
    },
    { name: 'hands nothing out when nothing was added', adds: [], taken: [] },
  ];

  test.each(cases)('$name', async ({ adds, taken }) => {
    const queue = make();
    for (const key of adds) queue.add(key);
    expect(await takeAll(queue)).toEqual(taken);
  });

  test('WQ-7 hands a held key out again only after done', async () => {
    const queue = make();
    queue.add('a');
    await queue.take();

    queue.add('a');
    expect(queue.size).toBe(0);

    queue.done('a');
    expect(await queue.take()).toBe('a');
  });

  test('WQ-6 passes the next key to a waiting worker', async () => {
    const queue = make();
    const waiting = queue.take();
    queue.add('a');

    expect(await waiting).toBe('a');
    expect(queue.size).toBe(0);
  });

  test('WQ-8 shutDown frees waiting workers, refuses keys and resolves when all is done', async () => {
    const queue = make();
    queue.add('a');
    await queue.take();
    const waiting = queue.take();

    let finished = false;
    void queue.shutDown().then(() => (finished = true));
    queue.add('b');
    await nextTurn();
    expect({ waiting: await waiting, size: queue.size, finished }).toEqual({
      waiting: undefined,
      size: 0,
      finished: false,
    });

    queue.done('a');
    await nextTurn();
    expect(finished).toBe(true);
  });

  test('WQ-8 shutDown drains queued keys', async () => {
    const queue = make();
    queue.add('a');
    void queue.shutDown();
    expect(await queue.take()).toBe('a');
    expect(await queue.take()).toBe(undefined);
  });

  test('shutDown with discard drops queued keys, and those that would return after done', async () => {
    const queue = make();
    queue.add('a');
    queue.add('b');
    await queue.take();
    queue.add('a');
    const end = queue.shutDown({ discard: true });
    queue.done('a');
    await end;
    expect(await queue.take()).toBe(undefined);
  });
});

describe.each(queues)('$kind, whatever is done to it,', ({ make }) => {
  const operation = fc.oneof(
    fc.record({ do: fc.constant('add' as const), key: fc.constantFrom('a', 'b', 'c', 'd') }),
    fc.record({ do: fc.constant('take' as const), key: fc.constant('') }),
    fc.record({ do: fc.constant('done' as const), key: fc.constantFrom('a', 'b', 'c', 'd') }),
  );

  test('WQ-7 passes no key to two workers, and loses none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 60 }), async (operations) => {
        const queue = make();
        const held = new Set<string>();
        /** Added since it was last handed out. */
        const expected = new Set<string>();
        for (const { do: what, key } of operations) {
          if (what === 'add') expected.add(key);
          if (what === 'add') queue.add(key);
          if (what === 'done') held.delete(key);
          if (what === 'done') queue.done(key);
          if (what !== 'take' || queue.size === 0) continue;
          const taken = (await queue.take()) as string;
          expect({ taken, held: held.has(taken), expected: expected.delete(taken) }).toEqual({
            taken,
            held: false,
            expected: true,
          });
          held.add(taken);
        }
        for (const key of held) queue.done(key);
        expect((await takeAll(queue)).sort()).toEqual([...expected].sort());
      }),
    );
  });
});

describe('PriorityWorkQueue', () => {
  const cases: { name: string; adds: [string, number][]; taken: string[] }[] = [
    {
      name: 'hands out the highest priority first',
      adds: [
        ['a', 0],
        ['b', 9],
        ['c', 5],
      ],
      taken: ['b', 'c', 'a'],
    },
    {
      name: 'raises a key that is added again with a higher one',
      adds: [
        ['a', 0],
        ['b', 1],
        ['a', 2],
      ],
      taken: ['a', 'b'],
    },
    {
      name: 'does not lower a key that is added again with a lower one',
      adds: [
        ['a', 2],
        ['b', 1],
        ['a', 0],
      ],
      taken: ['a', 'b'],
    },
  ];

  test.each(cases)('$name', async ({ adds, taken }) => {
    const queue = new PriorityWorkQueue<string>();
    for (const [key, priority] of adds) queue.add(key, priority);
    expect(await takeAll(queue)).toEqual(taken);
  });

  test('drops a priority once the key has been handed out', async () => {
    const queue = new PriorityWorkQueue<string>();
    queue.add('a', 9);
    await queue.take();
    queue.done('a');
    queue.add('a');
    queue.add('b', 1);
    expect(await takeAll(queue)).toEqual(['b', 'a']);
  });

  test('keeps the priority that a held key was added again with', async () => {
    const queue = new PriorityWorkQueue<string>();
    queue.add('a');
    await queue.take();
    queue.add('b', 1);
    queue.add('a', 5);
    queue.done('a');
    expect(await takeAll(queue)).toEqual(['a', 'b']);
  });
});

async function takeAll(queue: WorkQueue<string>): Promise<string[]> {
  const taken: string[] = [];
  while (queue.size > 0) taken.push((await queue.take())!);
  return taken;
}
