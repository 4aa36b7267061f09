import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { EndOfTurn } from './end-of-turn.js';
import { JoinedChunks } from './joined-chunks.js';
import { blockBytes, PacedAnswers, type PacedOutgoing } from './paced-answers.js';

/** A response whose client reads everything, or nothing until the test resumes it. */
class FakeOutgoing extends EventEmitter implements PacedOutgoing {
  destroyed = false;
  isEnded = false;
  writableLength = 0;
  written = 0;
  isStuck = false;
  /** Data that the system has not accepted yet. */
  readonly inFlight: { readonly block: Uint8Array; readonly onWritten: () => void }[] = [];

  write(block: Uint8Array, onWritten: () => void): boolean {
    this.written += block.length;
    this.inFlight.push({ block, onWritten });
    if (this.isStuck) this.writableLength += block.length;
    return !this.isStuck;
  }

  end(): void {
    this.isEnded = true;
  }

  drain(): void {
    this.isStuck = false;
    this.writableLength = 0;
    this.emit('drain');
  }
}

const blocks = (count: number) => new JoinedChunks(Array.from({ length: count }, () => new Uint8Array(blockBytes)));
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('large responses are sent in turns, each with a limited share', async () => {
  const paced = new PacedAnswers(new EndOfTurn(), () => 0);
  const answers = Array.from({ length: 10 }, () => new FakeOutgoing());
  for (const outgoing of answers) paced.send(outgoing, blocks(20));
  const written = () => answers.reduce((sum, { written }) => sum + written, 0);
  let before = 0;
  let turns = 0;
  while (!answers.every(({ isEnded }) => isEnded)) {
    await turn();
    expect(written() - before).toBeLessThanOrEqual(3 * blockBytes);
    before = written();
    turns++;
    const sent = answers.map((outgoing) => outgoing.written);
    expect(Math.max(...sent) - Math.min(...sent)).toBeLessThanOrEqual(blockBytes);
  }
  expect([before, turns >= 66]).toEqual([10 * 20 * blockBytes, true]);
});

test('a client that does not read blocks no other, and gets the rest when it reads', async () => {
  const paced = new PacedAnswers(new EndOfTurn(), () => 0);
  const [slow, fast] = [new FakeOutgoing(), new FakeOutgoing()];
  slow.isStuck = true;
  paced.send(slow, blocks(20));
  paced.send(fast, blocks(20));
  while (!fast.isEnded) await turn();
  expect(slow.written).toBe(4 * blockBytes);
  slow.drain();
  while (!slow.isEnded) await turn();
  expect(slow.written).toBe(20 * blockBytes);
});

test('a disconnected client is dropped', async () => {
  const paced = new PacedAnswers(new EndOfTurn(), () => 0);
  const gone = new FakeOutgoing();
  gone.destroyed = true;
  const next = new FakeOutgoing();
  paced.send(gone, blocks(5));
  paced.send(next, blocks(5));
  while (!next.isEnded) await turn();
  expect([gone.written, gone.isEnded]).toEqual([0, false]);
});

test('short answers of a turn leave before its part of the large ones, also those that came after them', async () => {
  const endOfTurn = new EndOfTurn();
  const paced = new PacedAnswers(endOfTurn, () => 0);
  const large = new FakeOutgoing();
  paced.send(large, blocks(20));
  for (let turns = 0; turns < 3; turns++) {
    const before = large.written;
    await endOfTurn.wait();
    expect(large.written).toBe(before);
    await turn();
    expect(large.written).toBeGreaterThan(before);
  }
});

test('memory of a block is used again when it was written, and not before', async () => {
  const paced = new PacedAnswers(new EndOfTurn(), () => 0);
  const small = (value: number) => new JoinedChunks([new Uint8Array(10).fill(value), new Uint8Array(10).fill(value)]);
  const [first, second, third] = [new FakeOutgoing(), new FakeOutgoing(), new FakeOutgoing()];
  paced.send(first, small(1));
  while (!first.isEnded) await turn();
  paced.send(second, small(2));
  while (!second.isEnded) await turn();
  expect(first.inFlight[0]?.block).toEqual(Buffer.alloc(20, 1));
  first.inFlight[0]?.onWritten();
  paced.send(third, small(3));
  while (!third.isEnded) await turn();
  expect(third.inFlight[0]?.block.buffer).toBe(first.inFlight[0]?.block.buffer);
  expect(second.inFlight[0]?.block).toEqual(Buffer.alloc(20, 2));
});

describe('the longer other work of a turn takes', () => {
  const sentAfter = async (busyMs: number, outgoing: FakeOutgoing) => {
    let now = 0;
    const paced = new PacedAnswers(new EndOfTurn(), () => now);
    paced.send(outgoing, blocks(100));
    now = busyMs;
    await turn();
    return outgoing.written / blockBytes;
  };

  test.each([
    { busyMs: 1, sent: 3 },
    { busyMs: 8, sent: 8 },
    { busyMs: 50, sent: 50 },
    { busyMs: 1_000, sent: 64 },
  ])(
    'the more of an answer leaves in it, up to four megabytes: after $busyMs ms $sent blocks',
    async ({ busyMs, sent }) => {
      expect(await sentAfter(busyMs, new FakeOutgoing())).toBe(sent);
    },
  );

  test.each([
    { busyMs: 1, sent: 3 },
    { busyMs: 50, sent: 50 },
  ])('the more may wait for its client: after $busyMs ms $sent blocks', async ({ busyMs, sent }) => {
    const slow = new FakeOutgoing();
    slow.isStuck = true;
    expect(await sentAfter(busyMs, slow)).toBe(sent);
    await turn();
    expect(slow.written).toBe(Math.max(4, sent) * blockBytes);
  });

  test('clients that do not read buffer no more than that together, and a little each', async () => {
    let now = 0;
    const paced = new PacedAnswers(new EndOfTurn(), () => now);
    const clients = Array.from({ length: 5 }, () => new FakeOutgoing());
    const sent: number[] = [];
    for (const slow of clients) {
      if (sent.length === 4) clients[0]?.emit('close');
      slow.isStuck = true;
      paced.send(slow, blocks(100));
      now += 50;
      await turn();
      sent.push(slow.written / blockBytes);
    }
    expect(sent).toEqual([50, 4, 4, 4, 50 - 3 * 4]);
  });
});
