import type { Duplex } from 'node:stream';
import { type Channel, normalClosure } from '@coracle/apimachinery';

/** The WebSocket code for an abnormal closure. */
const abnormalClosure = 1006;

/** A socket as a channel of bytes. */
export function socketChannel(protocol: string, socket: Duplex): Channel {
  let broken: Error | undefined;
  socket.on('error', (error) => {
    broken = error;
  });
  let paused = false;
  socket.on('drain', () => {
    if (!paused) socket.resume();
  });
  return {
    protocol,
    send: (message) => {
      if (!socket.destroyed && !socket.write(message)) socket.pause();
    },
    onMessage: (listener) => void socket.on('data', listener),
    onClose: (listener) => {
      const tell = () => listener(broken ? abnormalClosure : normalClosure, broken?.message ?? '');
      if (socket.closed) tell();
      else socket.on('close', tell);
    },
    pause: () => {
      paused = true;
      socket.pause();
    },
    resume: () => {
      paused = false;
      if (!socket.writableNeedDrain) socket.resume();
    },
    [Symbol.dispose]: () => {
      socket.resume();
      socket.end();
    },
  };
}
