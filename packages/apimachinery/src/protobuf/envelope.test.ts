import { describe, expect, it } from 'vitest';
import { reasonOf } from '../status-error.js';
import { isEnvelope, openEnvelope, wrapEnvelope, wrapListEnvelope } from './envelope.js';
import { encodeWatchFrame, WatchFrameReader } from './watch-frame.js';

const raw = Uint8Array.of(1, 2, 3);

describe('an envelope', () => {
  it('round-trips', () => {
    const envelope = { apiVersion: 'apps/v1', kind: 'Deployment', raw };
    expect(isEnvelope(wrapEnvelope(envelope))).toBe(true);
    expect(openEnvelope(wrapEnvelope(envelope))).toEqual(envelope);
  });

  it('of a list holds the metadata and the items', () => {
    const chunks = wrapListEnvelope({
      apiVersion: 'v1',
      kind: 'PodList',
      metadata: Uint8Array.of(9),
      items: [raw, raw],
    });
    const { kind, raw: list } = openEnvelope(Uint8Array.from(chunks.flatMap((chunk) => [...chunk])));
    expect(kind).toBe('PodList');
    expect([...list]).toEqual([0x0a, 1, 9, 0x12, 3, 1, 2, 3, 0x12, 3, 1, 2, 3]);
  });

  const wrong: [string, Uint8Array][] = [
    ['JSON', new TextEncoder().encode('{}')],
    ['nothing', new Uint8Array()],
    ['a message that ends too early', wrapEnvelope({ apiVersion: 'v1', kind: 'Pod', raw }).subarray(0, 17)],
  ];
  for (const [what, bytes] of wrong) {
    it(`is not ${what}`, () => {
      expect(() => openEnvelope(bytes)).toThrow();
      expect(reasonOf(thrownBy(() => openEnvelope(bytes)))).toBe('BadRequest');
    });
  }
});

describe('WatchFrameReader', () => {
  it('finds the same frames for any chunks of the stream', () => {
    const frames = [
      { type: 'ADDED', object: raw },
      { type: 'BOOKMARK', object: new Uint8Array(300) },
    ];
    const stream = frames.flatMap((frame) => [...encodeWatchFrame(frame)]);
    for (let size = 1; size < stream.length; size += 7) {
      const reader = new WatchFrameReader();
      const found = [];
      for (let at = 0; at < stream.length; at += size)
        found.push(...reader.push(Uint8Array.from(stream.slice(at, at + size))));
      expect(found).toEqual(frames);
    }
  });

  it('writes the length first, in four bytes', () => {
    expect([...encodeWatchFrame({ type: 'ADDED', object: raw })]).toEqual([
      0, 0, 0, 14, 0x0a, 5, 65, 68, 68, 69, 68, 0x12, 5, 0x0a, 3, 1, 2, 3,
    ]);
  });

  it('refuses a frame that is longer than any object', () => {
    expect(reasonOf(thrownBy(() => new WatchFrameReader().push(Uint8Array.of(255, 255, 255, 255))))).toBe('BadRequest');
  });
});

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}
