import { type Incoming, isHttp2, type Outgoing } from './messages.js';

/**
 * Makes a connection of HTTP/1.1 survive that a request comes while an answer waits for its client.
 *
 * Node.js then pauses the connection and its parser. Its parser takes decrypted records straight from TLS, though, which
 * hands over all records of a segment, paused or not: a body in a record of its own reaches a parser that is paused,
 * which fails (HPE_PAUSED), and the connection is cut. With a listener for its data a connection is read through its
 * stream, which buffers while it is paused. That costs each read a little, so that it is done only on connections with
 * an answer that waits: the only ones that are ever paused.
 */
export function bufferWhilePaused(incoming: Incoming, outgoing: Outgoing): void {
  if (isHttp2(incoming) || !mayBePaused(incoming, outgoing)) return;
  const { socket } = incoming;
  if (!socket.listeners('data').includes(ignoreData)) socket.on('data', ignoreData);
}

/** Whether a written response is not completely passed to the operating system, or waits for another one. */
function mayBePaused({ socket }: Incoming, outgoing: Outgoing): boolean {
  return !outgoing.writableEnded || outgoing.socket === null || socket.writableNeedDrain;
}

function ignoreData(): void {}
