import { constants, createDeflate, createInflate, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FrameReader } from './frame-reader.js';
import { FrameWriter } from './frame-writer.js';
import type { SpdyFrame } from './frames.js';
import { encodeHeaders, type SpdyHeaders } from './header-block.js';
import { dictionarySum, headerDictionary } from './header-dictionary.js';
import { HeaderInflater } from './inflate.js';
import { SpdyError } from './spdy-error.js';
import { HeaderDeflater } from './stored-deflate.js';

const streamId = fc.integer({ min: 1, max: 0x7fff_ffff });
const word = fc.integer({ min: 0, max: 0xffff_ffff });
const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/);
const headers = fc.dictionary(name, fc.string({ maxLength: 60 }), { maxKeys: 8, noNullPrototype: true });
const fin = fc.boolean();
const frame: fc.Arbitrary<SpdyFrame> = fc.oneof(
  fc.record({ type: fc.constant('data' as const), streamId, fin, data: fc.uint8Array({ maxLength: 300 }) }),
  fc.record({ type: fc.constant('syn-stream' as const), streamId, fin, unidirectional: fc.boolean(), headers }),
  fc.record({ type: fc.constantFrom('syn-reply' as const, 'headers' as const), streamId, fin, headers }),
  fc.record({ type: fc.constant('rst-stream' as const), streamId, status: word }),
  fc.record({
    type: fc.constant('settings' as const),
    settings: fc.array(
      fc.record({ id: fc.integer({ min: 0, max: 0xffffff }), flags: fc.integer({ min: 0, max: 255 }), value: word }),
    ),
  }),
  fc.record({ type: fc.constant('ping' as const), id: word }),
  fc.record({ type: fc.constant('goaway' as const), lastStreamId: streamId, status: word }),
  fc.record({ type: fc.constant('window-update' as const), streamId, delta: streamId }),
);

/** Objects made by decoding have no prototype, and data is a part of something larger. */
function plain(one: SpdyFrame): unknown {
  if (one.type === 'data') return { ...one, data: [...one.data] };
  return 'headers' in one ? { ...one, headers: { ...one.headers } } : one;
}

const joined = (parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

describe('frames', () => {
  test('round-trip for any chunks of bytes', () => {
    fc.assert(
      fc.property(fc.array(frame), fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (frames, sizes) => {
        const writer = new FrameWriter();
        const bytes = joined(frames.map((one) => writer.encode(one)));
        const reader = new FrameReader();
        const read: SpdyFrame[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          read.push(...reader.read(bytes.subarray(at, at + size)));
          at += size;
        }
        expect(read.map(plain)).toEqual(frames.map(plain));
      }),
    );
  });

  const wire = [
    { frame: { type: 'ping', id: 1 } as const, hex: '80030006 00000004 00000001' },
    { frame: { type: 'rst-stream', streamId: 3, status: 5 } as const, hex: '80030003 00000008 00000003 00000005' },
    { frame: { type: 'goaway', lastStreamId: 7, status: 0 } as const, hex: '80030007 00000008 00000007 00000000' },
    {
      frame: { type: 'data', streamId: 1, fin: true, data: Uint8Array.of(104, 105) } as const,
      hex: '00000001 01000002 6869',
    },
  ];
  test.each(wire)('$frame.type is $hex on the wire', ({ frame: one, hex }) => {
    expect(Buffer.from(new FrameWriter().encode(one)).toString('hex')).toBe(hex.replaceAll(' ', ''));
  });

  test('unknown types are skipped', () => {
    const credential = Uint8Array.of(0x80, 3, 0, 10, 0, 0, 0, 1, 0);
    const ping = new FrameWriter().encode({ type: 'ping', id: 9 });
    expect([...new FrameReader().read(joined([credential, ping]))]).toEqual([{ type: 'ping', id: 9 }]);
  });
});

describe('hostile bytes', () => {
  const control = (type: number, payload: readonly number[], length = payload.length) =>
    Uint8Array.of(0x80, 3, 0, type, 0, (length >>> 16) & 255, (length >>> 8) & 255, length & 255, ...payload);
  const preamble = [0x78, 0xbb, 0xe3, 0xc6, 0xa7, 0xc2];
  const syn = (block: readonly number[]) => control(1, [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...block]);
  const stored = (bytes: readonly number[]) => [0, bytes.length, 0, ~bytes.length & 255, 255, ...bytes];
  const cases = [
    { what: 'HTTP', bytes: new TextEncoder().encode('GET / HTTP/1.1\r\n\r\n'), says: 'too large' },
    { what: 'another version', bytes: Uint8Array.of(0x80, 2, 0, 6, 0, 0, 0, 4, 0, 0, 0, 1), says: 'version 2' },
    { what: 'a control frame of 16 MB', bytes: control(1, [], 0xffffff), says: 'too large' },
    { what: 'a data frame of 16 MB', bytes: Uint8Array.of(0, 0, 0, 1, 0, 255, 255, 255), says: 'too large' },
    { what: 'a truncated reset', bytes: control(3, [0, 0, 0, 1]), says: 'truncated' },
    { what: 'settings with more entries than bytes', bytes: control(4, [255, 255, 255, 255]), says: 'truncated' },
    { what: 'headers that are not compressed', bytes: syn([0, 0, 0, 0]), says: 'not compressed' },
    { what: 'another dictionary', bytes: syn([0x78, 0xbb, 1, 2, 3, 4]), says: 'another dictionary' },
    { what: 'a block of an unknown type', bytes: syn([...preamble, 0x06]), says: 'unknown type' },
    { what: 'a stored block of two lengths', bytes: syn([...preamble, 0, 1, 0, 1, 0]), says: 'two lengths' },
    { what: 'a truncated block', bytes: syn([...preamble, 0, 9, 0, 0xf6, 0xff]), says: 'truncated' },
    { what: 'a million headers', bytes: syn([...preamble, ...stored([0, 15, 66, 64])]), says: 'truncated' },
    {
      what: 'a name of 4 GB',
      bytes: syn([...preamble, ...stored([0, 0, 0, 1, 255, 255, 255, 255])]),
      says: 'truncated',
    },
    {
      what: 'a header that comes twice',
      bytes: syn([...preamble, ...stored([0, 0, 0, 2, 0, 0, 0, 1, 97, 0, 0, 0, 0, 0, 0, 0, 1, 97, 0, 0, 0, 0])]),
      says: 'came twice',
    },
    {
      what: 'headers that inflate to megabytes',
      bytes: syn([...deflateSync(new Uint8Array(8 * 1024 * 1024), { dictionary: headerDictionary() })]),
      says: 'too large',
    },
  ];
  test.each(cases)('$what is refused', ({ bytes, says }) => {
    expect(() => [...new FrameReader().read(bytes)]).toThrow(SpdyError);
    expect(() => [...new FrameReader().read(bytes)]).toThrow(says);
  });

  test('any bytes are frames or rejected', () => {
    const block = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.uint8Array({ maxLength: 80 }).map((rest) => syn([...preamble, ...rest])),
    );
    fc.assert(
      fc.property(fc.array(block), (chunks) => {
        const reader = new FrameReader();
        try {
          for (const chunk of chunks) for (const one of reader.read(chunk)) expect(one.type).toBeTypeOf('string');
        } catch (error) {
          expect(error).toBeInstanceOf(SpdyError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

/** One stream of zlib's for all blocks, each flushed as Go flushes it. */
async function compress(blocks: readonly Uint8Array[], options: object): Promise<Uint8Array[]> {
  const deflate = createDeflate({ dictionary: headerDictionary(), ...options });
  const compressed: Uint8Array[] = [];
  for (const block of blocks) {
    deflate.write(block);
    await new Promise<void>((resolve) => deflate.flush(constants.Z_SYNC_FLUSH, resolve));
    compressed.push(new Uint8Array((deflate.read() as Buffer | null) ?? Buffer.alloc(0)));
  }
  deflate.destroy();
  return compressed;
}

describe('compressed headers', () => {
  test('the dictionary is the one of the protocol', () => {
    const dictionary = headerDictionary();
    expect(dictionary.length).toBe(1423);
    expect(deflateSync(new Uint8Array(), { dictionary }).readUInt32BE(2)).toBe(dictionarySum);
  });

  test('of zlib are read, with any compression', async () => {
    const way = fc.record({
      level: fc.integer({ min: 0, max: 9 }),
      strategy: fc.constantFrom(
        constants.Z_DEFAULT_STRATEGY,
        constants.Z_FIXED,
        constants.Z_HUFFMAN_ONLY,
        constants.Z_RLE,
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(headers, { minLength: 1, maxLength: 6 }), way, async (made, options) => {
        const blocks = made.map(encodeHeaders);
        const inflater = new HeaderInflater(64 * 1024);
        const inflated = (await compress(blocks, options)).map((block) => [...inflater.inflate(block)]);
        expect(inflated).toEqual(blocks.map((block) => [...block]));
      }),
      { numRuns: 60 },
    );
  });

  test('of this implementation are read by zlib', async () => {
    const blocks: SpdyHeaders[] = [{ streamtype: 'stdin' }, {}, { streamtype: 'data', port: '80', requestid: '0' }];
    const deflater = new HeaderDeflater();
    const inflate = createInflate({ dictionary: headerDictionary() });
    for (const block of blocks) {
      inflate.write(deflater.deflate(encodeHeaders(block)));
      await new Promise<void>((resolve) => inflate.flush(resolve));
      expect([...(inflate.read() as Buffer)]).toEqual([...encodeHeaders(block)]);
    }
    inflate.destroy();
  });
});
