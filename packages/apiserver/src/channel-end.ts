import type { Channel } from '@coracle/apimachinery';

/** The channel, which reports when it has closed. */
export function withEnd(channel: Channel, onEnd: () => void): Channel {
  let closed: readonly [number, string] | undefined;
  let listener: ((code: number, reason: string) => void) | undefined;
  channel.onClose((...how) => {
    closed = how;
    onEnd();
    listener?.(...how);
  });
  return {
    protocol: channel.protocol,
    isText: channel.isText ?? false,
    send: (message) => channel.send(message),
    onMessage: (hear) => channel.onMessage(hear),
    onClose: (hear) => {
      if (closed) hear(...closed);
      else listener = hear;
    },
    pause: () => channel.pause?.(),
    resume: () => channel.resume?.(),
    [Symbol.dispose]: () => channel[Symbol.dispose](),
  };
}
