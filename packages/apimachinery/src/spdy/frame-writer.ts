import { concatBytes } from '@coracle/base';
import { controlTypes, frameFlags, frameHeadBytes, type SpdyFrame, spdyVersion } from './frames.js';
import { encodeHeaders, type SpdyHeaders } from './header-block.js';
import { HeaderDeflater } from './stored-deflate.js';

/** Encodes the frames of one direction, in the order in which they are sent: headers depend on those before. */
export class FrameWriter {
  readonly #deflater = new HeaderDeflater();

  encode(frame: SpdyFrame): Uint8Array {
    if (frame.type === 'data') return withHead(frame.streamId, frame.fin ? frameFlags.fin : 0, frame.data);
    const word = 0x8000_0000 + spdyVersion * 0x1_0000 + controlTypes[frame.type];
    return withHead(word, flagsOf(frame), this.#payloadOf(frame));
  }

  #payloadOf(frame: Exclude<SpdyFrame, { type: 'data' }>): Uint8Array {
    switch (frame.type) {
      case 'syn-stream':
        // Associated with no stream; of the highest priority, in no slot.
        return concatBytes([...words(frame.streamId, 0), Uint8Array.of(0, 0), this.#compressed(frame.headers)]);
      case 'syn-reply':
      case 'headers':
        return concatBytes([...words(frame.streamId), this.#compressed(frame.headers)]);
      case 'rst-stream':
        return concatBytes(words(frame.streamId, frame.status));
      case 'settings':
        return concatBytes(
          words(
            frame.settings.length,
            ...frame.settings.flatMap(({ flags, id, value }) => [flags * 0x100_0000 + id, value]),
          ),
        );
      case 'ping':
        return concatBytes(words(frame.id));
      case 'goaway':
        return concatBytes(words(frame.lastStreamId, frame.status));
      case 'window-update':
        return concatBytes(words(frame.streamId, frame.delta));
    }
  }

  #compressed(headers: SpdyHeaders): Uint8Array {
    return this.#deflater.deflate(encodeHeaders(headers));
  }
}

function flagsOf(frame: SpdyFrame): number {
  const fin = 'fin' in frame && frame.fin ? frameFlags.fin : 0;
  return fin | (frame.type === 'syn-stream' && frame.unidirectional ? frameFlags.unidirectional : 0);
}

function withHead(word: number, flags: number, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(frameHeadBytes + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, word);
  view.setUint32(4, flags * 0x100_0000 + payload.length);
  bytes.set(payload, frameHeadBytes);
  return bytes;
}

function words(...values: readonly number[]): Uint8Array[] {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  values.forEach((value, index) => void view.setUint32(index * 4, value));
  return [bytes];
}
