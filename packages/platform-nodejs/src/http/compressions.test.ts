import { EventEmitter } from 'node:events';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type CompressedOutgoing, Compressions, inputBytes } from './compressions.js';
import { type Compressor, gzipCompressor } from './gzip-compressor.js';
import { JoinedChunks } from './joined-chunks.js';

/** A response whose client reads everything unless it is blocked. */
class FakeOutgoing extends EventEmitter implements CompressedOutgoing {
  destroyed = false;
  writableLength = 0;
  isStuck = false;
  isEnded = false;
  readonly written: Uint8Array[] = [];

  write(bytes: Uint8Array): boolean {
    this.written.push(bytes);
    if (this.isStuck) this.writableLength += 1024 * 1024;
    return !this.isStuck;
  }

  end(): void {
    this.isEnded = true;
    this.emit('ended');
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }

  drain(): void {
    this.writableLength = 0;
    this.isStuck = false;
    this.emit('drain');
  }
}

/** Compressors that output their data when the test allows it, with all their calls in order. */
function heldCompressors(most: number) {
  const steps: string[] = [];
  const held: (() => void)[] = [];
  let count = 0;
  const make = (onOutput: (bytes: Uint8Array) => void): Compressor => {
    const name = String.fromCharCode(97 + count++);
    return {
      write: (block, done) => {
        steps.push(`${name} ${block.length}`);
        held.push(() => {
          onOutput(block.slice());
          done();
        });
      },
      end: (done) => {
        steps.push(`${name} end`);
        held.push(done);
      },
      [Symbol.dispose]: () => void steps.push(`${name} disposed`),
    };
  };
  const compressions = new Compressions(make, most);
  const add = (outgoing: FakeOutgoing, length: number) =>
    compressions.add({
      outgoing,
      chunks: new JoinedChunks([new Uint8Array(length)]),
      begin: () => void steps.push('begin'),
    });
  return { add, take: () => steps.splice(0), release: () => held.shift()?.() };
}

test('responses are compressed few at a time and in order, block by block, and those of disconnected clients not at all', () => {
  const { add, take, release } = heldCompressors(2);
  const answers = Array.from({ length: 4 }, () => new FakeOutgoing());
  for (const outgoing of answers) add(outgoing, inputBytes + 1);
  expect(take()).toEqual(['begin', `a ${inputBytes}`, 'begin', `b ${inputBytes}`]);
  if (answers[2]) answers[2].destroyed = true;
  release();
  release();
  expect(take()).toEqual(['a 1', 'b 1']);
  release();
  release();
  expect(take()).toEqual(['a end', 'b end']);
  release();
  expect([take(), answers[0]?.isEnded, answers[1]?.isEnded]).toEqual([['begin', `c ${inputBytes}`], true, false]);
});

test('a response that waits for its client releases its slot, and continues later', () => {
  const { add, take, release } = heldCompressors(1);
  const [slow, other] = [new FakeOutgoing(), new FakeOutgoing()];
  slow.isStuck = true;
  add(slow, inputBytes + 1);
  add(other, 5);
  release();
  expect(take()).toEqual(['begin', `a ${inputBytes}`, 'begin', 'b 5']);
  slow.drain();
  expect(take()).toEqual([]);
  release();
  release();
  expect([take(), other.isEnded]).toEqual([['b end', 'a 1'], true]);
});

test('a client that disconnects while its response waits, or is compressed, frees slot and compressor', () => {
  const { add, take, release } = heldCompressors(1);
  const [slow, fast, last] = [new FakeOutgoing(), new FakeOutgoing(), new FakeOutgoing()];
  slow.isStuck = true;
  add(slow, inputBytes + 1);
  add(fast, inputBytes + 1);
  add(last, 5);
  release();
  take();
  slow.destroy();
  fast.destroy();
  expect(take()).toEqual(['a disposed', 'b disposed']);
  release();
  expect([take(), fast.written]).toEqual([['begin', 'c 5'], []]);
});

test('gzip: everything arrives, and a compressor that is disposed while it ends reports it', async () => {
  const compressions = new Compressions(gzipCompressor, 1);
  const texts = ['a', 'b'].map((letter) => Array.from({ length: 2_000 }, (_, i) => Buffer.from(letter.repeat(i))));
  const answers = texts.map((chunks) => {
    const outgoing = new FakeOutgoing();
    const ended = new Promise((resolve) => outgoing.once('ended', resolve));
    compressions.add({ outgoing, chunks: new JoinedChunks(chunks), begin: () => undefined });
    return { outgoing, ended };
  });
  await Promise.all(answers.map(({ ended }) => ended));
  for (const [i, { outgoing }] of answers.entries())
    expect(gunzipSync(Buffer.concat(outgoing.written)).equals(Buffer.concat(texts[i] ?? []))).toBe(true);

  const compressor = gzipCompressor(() => undefined);
  await new Promise<void>((resolve) => compressor.write(Buffer.from('x'), () => resolve()));
  await new Promise<void>((resolve) => {
    compressor.end(() => resolve());
    compressor[Symbol.dispose]();
  });
  await new Promise<void>((resolve) => compressor.end(() => resolve()));
});
