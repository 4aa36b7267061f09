import { type ApiResponse, badRequest, type Channel, channelPair, toBase64 } from '@coracle/apimachinery';
import { concatBytes } from '@coracle/base';
import type { Upgrade } from '../handler-chain.js';

/** Encoding of the body for a client that reads it over WebSocket, by subprotocol. */
type Framing = (chunk: Uint8Array) => Uint8Array;

const encoder = new TextEncoder();

const protocols: Readonly<Record<string, Framing>> = {
  '': (chunk) => chunk,
  'binary.k8s.io': (chunk) => chunk,
  'base64.binary.k8s.io': (chunk) => encoder.encode(toBase64(chunk)),
};

const newline = 0x0a;

/**
 * Sends a streamed response to a client that requested a WebSocket: logs as bytes, watches as one text message for each
 * event. Errors stay responses.
 */
export function readOverChannel(upgrade: Upgrade, response: ApiResponse, kind: 'log' | 'watch'): ApiResponse {
  const { body, headers } = response;
  if (response.status !== 200 || (body.kind !== 'stream' && body.kind !== 'bytes')) return response;
  const isText = kind === 'watch' && headers['content-type'] === 'application/json';
  const protocol = chooseProtocol(upgrade.protocols);
  const [own, far] = channelPair(protocol);
  // A reader need not send anything. Without a listener, messages that it sends would be buffered.
  own.onMessage(() => undefined);
  const frame = protocols[protocol] as Framing;
  const send = (chunk: Uint8Array) => own.send(frame(chunk));
  const write = isText ? inLines(send) : send;
  upgrade.channel = isText ? textOf(far) : far;
  if (body.kind === 'bytes') {
    for (const chunk of body.chunks) write(chunk);
    own[Symbol.dispose]();
  } else
    body.stream.open({
      write: (chunk) => {
        write(chunk);
        return own.keepsUp;
      },
      end: () => own[Symbol.dispose](),
      onDrain: (listener) =>
        own.onPace((keepsUp) => {
          if (keepsUp) listener();
        }),
      onClose: (listener) => own.onClose(() => listener()),
    });
  return { status: 101, headers: {}, body: { kind: 'empty' } };
}

function chooseProtocol(offered: readonly string[]): string {
  if (offered.length === 0) return '';
  const chosen = offered.find((name) => name in protocols);
  if (chosen === undefined) throw badRequest(`requested protocol(s) are not supported: [${offered.join(' ')}]`);
  return chosen;
}

function textOf(channel: Channel): Channel {
  return {
    protocol: channel.protocol,
    isText: true,
    send: (message) => channel.send(message),
    onMessage: (listener) => channel.onMessage(listener),
    onClose: (listener) => channel.onClose(listener),
    pause: () => channel.pause?.(),
    resume: () => channel.resume?.(),
    [Symbol.dispose]: () => channel[Symbol.dispose](),
  };
}

/** Events are separated by newlines; a chunk may contain several events, or a part of one. */
function inLines(send: (line: Uint8Array) => void): (chunk: Uint8Array) => void {
  let parts: Uint8Array[] = [];
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      send(concatBytes([...parts, chunk.subarray(start, end)]));
      parts = [];
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  };
}
