/** The frames of HTTP/2 as bytes, for clients that send what no library would. */

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

const types = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, windowUpdate: 8, continuation: 9 } as const;

interface FrameOptions {
  readonly stream?: number;
  readonly flags?: number;
  readonly payload?: Uint8Array;
}

export function frame(
  type: keyof typeof types,
  { stream = 0, flags = 0, payload = Buffer.alloc(0) }: FrameOptions = {},
) {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = types[type];
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** What a connection begins with. */
export function opening(settings: Uint8Array = Buffer.alloc(0)): Buffer {
  return Buffer.concat([preface, frame('settings', { payload: settings })]);
}

/** SETTINGS_INITIAL_WINDOW_SIZE of 0: the server must not send any byte of a body. */
export const takesNothing = Buffer.from([0, 4, 0, 0, 0, 0]);

const endStream = 1;
const endHeaders = 4;

/** A whole GET, with its head in one frame. */
export function get(path: string, stream: number): Buffer {
  return frame('headers', { stream, flags: endStream | endHeaders, payload: headersOf(path) });
}

/** A head that never ends, however many continuations follow. */
export function endlessHead(stream: number, continuations: number): Buffer {
  const first = frame('headers', { stream, flags: endStream, payload: headersOf('/version') });
  const filler = Buffer.concat([
    Buffer.from([0x00, 0x03]),
    Buffer.from('x-y'),
    Buffer.from([0x7f, 0x81, 0x3e]),
    Buffer.alloc(8_000, 'z'),
  ]);
  return Buffer.concat([first, ...Array(continuations).fill(frame('continuation', { stream, payload: filler }))]);
}

/** GET of a path at authority `a` over https: two fields of the static table, two spelled out. */
function headersOf(path: string): Buffer {
  return Buffer.concat([
    Buffer.from([0x82, 0x87, 0x01, 1]),
    Buffer.from('a'),
    Buffer.from([0x04, path.length]),
    Buffer.from(path),
  ]);
}
