import type { SpdyHeaders } from './header-block.js';

/** The frames of SPDY/3.1. `fin`: the last data of this side on this stream. */
export type SpdyFrame =
  | { readonly type: 'data'; readonly streamId: number; readonly fin: boolean; readonly data: Uint8Array }
  | {
      readonly type: 'syn-stream';
      readonly streamId: number;
      readonly fin: boolean;
      /** The other side may not send on it. */
      readonly unidirectional: boolean;
      readonly headers: SpdyHeaders;
    }
  | {
      readonly type: 'syn-reply' | 'headers';
      readonly streamId: number;
      readonly fin: boolean;
      readonly headers: SpdyHeaders;
    }
  | { readonly type: 'rst-stream'; readonly streamId: number; readonly status: number }
  | { readonly type: 'settings'; readonly settings: readonly SpdySetting[] }
  | { readonly type: 'ping'; readonly id: number }
  | { readonly type: 'goaway'; readonly lastStreamId: number; readonly status: number }
  | { readonly type: 'window-update'; readonly streamId: number; readonly delta: number };

export interface SpdySetting {
  readonly id: number;
  readonly flags: number;
  readonly value: number;
}

/** The numbers of the control frames. */
export const controlTypes = {
  'syn-stream': 1,
  'syn-reply': 2,
  'rst-stream': 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  headers: 8,
  'window-update': 9,
} as const;

export const frameFlags = { fin: 1, unidirectional: 2 } as const;

/** Why a stream was reset. */
export const resetStatus = {
  protocolError: 1,
  invalidStream: 2,
  refusedStream: 3,
  cancel: 5,
  internalError: 6,
} as const;

export const spdyVersion = 3;
export const frameHeadBytes = 8;
