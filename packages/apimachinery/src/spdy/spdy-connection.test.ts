import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Channel, channelPair } from '../channel.js';
import { FrameReader } from './frame-reader.js';
import { FrameWriter } from './frame-writer.js';
import type { SpdyFrame } from './frames.js';
import { SpdyConnection, type SpdyConnectionOptions } from './spdy-connection.js';
import { SpdyError } from './spdy-error.js';
import type { SpdyStream } from './spdy-stream.js';

const utf8 = (text: string) => new TextEncoder().encode(text);

/** Records the events of a stream. */
function notes(stream: SpdyStream): string[] {
  const output: string[] = [];
  stream.listen({
    data: (chunk) => output.push(new TextDecoder().decode(chunk)),
    end: () => output.push('<end>'),
    reset: () => output.push('<reset>'),
  });
  return output;
}

/** The far end of a connection, spoken to in bare frames. */
class Far {
  readonly frames: SpdyFrame[] = [];
  closed = false;
  readonly #writer = new FrameWriter();
  readonly #channel: Channel;

  constructor(channel: Channel) {
    const reader = new FrameReader();
    this.#channel = channel;
    channel.onMessage((chunk) => this.frames.push(...reader.read(chunk)));
    channel.onClose(() => void (this.closed = true));
  }

  say(...frames: SpdyFrame[]): void {
    for (const frame of frames) this.#channel.send(this.#writer.encode(frame));
  }

  sayBytes(bytes: Uint8Array): void {
    this.#channel.send(bytes);
  }

  get types(): string[] {
    return this.frames.map(({ type }) => type);
  }
}

function pair(server: Partial<SpdyConnectionOptions> = {}, client: Partial<SpdyConnectionOptions> = {}) {
  const [near, far] = channelPair('SPDY/3.1');
  return {
    server: new SpdyConnection(far, { role: 'server', ...server }),
    client: new SpdyConnection(near, { role: 'client', ...client }),
  };
}

function serverAndFar(options: Partial<SpdyConnectionOptions> = {}) {
  const [near, farEnd] = channelPair('SPDY/3.1');
  const closed: (Error | undefined)[] = [];
  const server = new SpdyConnection(near, { role: 'server', onClose: (error) => closed.push(error), ...options });
  return { server, far: new Far(farEnd), closed };
}

const syn = (streamId: number, more: object = {}): SpdyFrame => ({
  type: 'syn-stream',
  streamId,
  fin: false,
  unidirectional: false,
  headers: {},
  ...more,
});

describe('streams', () => {
  test('carry headers and bytes, and each direction ends on its own', () => {
    const streams: SpdyStream[] = [];
    const { client } = pair({ onStream: (stream) => streams.push(stream) });
    const mine = client.open({ streamType: 'data', port: '80' });
    const [theirs] = streams as [SpdyStream];
    const [here, there] = [notes(mine), notes(theirs)];
    mine.write(utf8('question'));
    mine.end();
    mine.write(utf8('too late'));
    theirs.write(utf8('answer'));
    theirs.end();
    expect({ ...theirs.headers }).toEqual({ streamtype: 'data', port: '80' });
    expect([there, here]).toEqual([
      ['question', '<end>'],
      ['answer', '<end>'],
    ]);
  });

  test('concurrent data of several streams arrives complete and in order', () => {
    const write = fc.record({ stream: fc.integer({ min: 0, max: 3 }), bytes: fc.uint8Array({ maxLength: 100_000 }) });
    fc.assert(
      fc.property(fc.array(write, { maxLength: 12 }), (writes) => {
        const arrived: number[][] = [];
        const { client } = pair({
          onStream: (stream) => {
            const bytes: number[] = [];
            arrived.push(bytes);
            stream.listen({ data: (chunk) => void bytes.push(...chunk), end() {}, reset() {} });
          },
        });
        const streams = [0, 1, 2, 3].map(() => client.open({}));
        for (const { stream, bytes } of writes) streams[stream]?.write(bytes);
        const sent = streams.map((_, index) =>
          writes.filter(({ stream }) => stream === index).flatMap(({ bytes }) => [...bytes]),
        );
        expect(arrived).toEqual(sent);
      }),
      { numRuns: 25 },
    );
  });

  test('buffer data until there is a listener', () => {
    const streams: SpdyStream[] = [];
    const { client } = pair({ onStream: (stream) => streams.push(stream) });
    const mine = client.open({});
    mine.write(utf8('early'));
    mine.end();
    expect(notes(streams[0] as SpdyStream)).toEqual(['early', '<end>']);
  });

  test('without a listener are reset before they fill the memory', () => {
    const { far } = serverAndFar({ limits: { maxUnheardBytes: 10 } });
    far.say(syn(1), { type: 'data', streamId: 1, fin: false, data: new Uint8Array(11) });
    expect(far.frames).toContainEqual({ type: 'rst-stream', streamId: 1, status: 3 });
  });

  test('wait with their data until they are accepted', () => {
    const [near, farEnd] = channelPair('SPDY/3.1');
    const far = new Far(farEnd);
    const stream = new SpdyConnection(near, { role: 'client' }).open({});
    stream.write(utf8('x'));
    stream.end();
    expect(far.types).toEqual(['syn-stream']);
    far.say({ type: 'syn-reply', streamId: 1, fin: false, headers: {} });
    expect(far.types).toEqual(['syn-stream', 'data', 'data']);
  });

  test('are reset for both sides', () => {
    const streams: SpdyStream[] = [];
    const { client } = pair({ onStream: (stream) => streams.push(stream) });
    const mine = client.open({});
    const [here, there] = [notes(mine), notes(streams[0] as SpdyStream)];
    mine.reset();
    streams[0]?.write(utf8('into the void'));
    expect([here, there]).toEqual([['<reset>'], ['<reset>']]);
  });

  test('that are not welcome, or too many, are refused', () => {
    const { far } = serverAndFar({ accepts: ({ ok }) => ok === 'yes', limits: { maxStreams: 1 } });
    far.say(syn(1), syn(3, { headers: { ok: 'yes' } }), syn(5, { headers: { ok: 'yes' } }));
    expect(far.frames).toMatchObject([
      { type: 'rst-stream', streamId: 1, status: 3 },
      { type: 'syn-reply', streamId: 3 },
      { type: 'rst-stream', streamId: 5, status: 3 },
    ]);
  });

  test('with a number that is not theirs to use, or was used before, are refused', () => {
    const { far } = serverAndFar();
    far.say(syn(2), syn(3), syn(3), syn(1));
    expect(far.frames.map((frame) => [frame.type, 'streamId' in frame && frame.streamId])).toEqual([
      ['rst-stream', 2],
      ['syn-reply', 3],
      ['rst-stream', 3],
      ['rst-stream', 1],
    ]);
  });

  test('with one direction only get no reply', () => {
    const { far } = serverAndFar();
    far.say(syn(1, { unidirectional: true, fin: true }));
    expect(far.frames).toEqual([]);
  });
});

describe('the connection', () => {
  test('responds to pings, and receives responses to its own', async () => {
    const { far, server } = serverAndFar();
    far.say({ type: 'ping', id: 7 });
    const answered = server.ping();
    far.say({ type: 'ping', id: 2 });
    await answered;
    expect(far.frames).toEqual([
      { type: 'ping', id: 7 },
      { type: 'ping', id: 2 },
    ]);
  });

  test('settings, windows and data for closed streams have no effect', () => {
    const { far, closed } = serverAndFar();
    far.say(
      { type: 'settings', settings: [{ id: 4, flags: 0, value: 100 }] },
      { type: 'window-update', streamId: 9, delta: 1 },
      { type: 'data', streamId: 9, fin: true, data: utf8('x') },
      { type: 'rst-stream', streamId: 9, status: 1 },
      { type: 'syn-reply', streamId: 9, fin: true, headers: {} },
    );
    expect([far.frames, closed]).toEqual([[], []]);
  });

  test('that the other side leaves stays open until its streams have ended', () => {
    const streams: SpdyStream[] = [];
    const { far, closed, server } = serverAndFar({ onStream: (stream) => streams.push(stream) });
    far.say(syn(1, { fin: true }), { type: 'goaway', lastStreamId: 0, status: 0 }, syn(3));
    expect(() => server.open({})).toThrow('no more streams');
    expect(closed).toEqual([]);
    streams[0]?.write(utf8('rest'));
    streams[0]?.end();
    expect([closed, far.closed, far.types]).toEqual([[undefined], true, ['syn-reply', 'rst-stream', 'data', 'data']]);
  });

  test('that is cut resets its streams', () => {
    const { client, server } = pair();
    const answers = notes(client.open({}));
    server[Symbol.dispose]();
    expect(answers).toEqual(['<reset>']);
  });

  test('that receives an invalid frame reports an error and closes', () => {
    const { far, closed } = serverAndFar();
    far.sayBytes(utf8('GET / HTTP/1.1\r\n\r\n'));
    expect([closed.map((error) => error instanceof SpdyError), far.types, far.closed]).toEqual([
      [true],
      ['goaway'],
      true,
    ]);
  });

  test('handles or rejects any input', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 100 })), (chunks) => {
        const { far, closed } = serverAndFar();
        for (const chunk of chunks) far.sayBytes(chunk);
        expect(closed.length).toBeLessThanOrEqual(1);
      }),
    );
  });
});
