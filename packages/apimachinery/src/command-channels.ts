/** The channels of a remote command. The first byte of every message names one. */
export const commandChannels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** The prefix of protocols whose streams are those of SPDY, and whose channel carries SPDY's bytes. */
export const spdyPrefix = 'SPDY/3.1+';

/** SPDY's streams in a WebSocket, as kubectl forwards ports since v1.31. */
export const spdyPortForward = `${spdyPrefix}portforward.k8s.io`;

export function frame(channel: number, payload: Uint8Array): Uint8Array {
  const message = new Uint8Array(payload.length + 1);
  message[0] = channel;
  message.set(payload, 1);
  return message;
}

export function unframe(message: Uint8Array): { readonly channel: number; readonly payload: Uint8Array } | undefined {
  const [channel] = message;
  return channel === undefined ? undefined : { channel, payload: message.subarray(1) };
}
