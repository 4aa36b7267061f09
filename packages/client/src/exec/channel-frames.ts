/** The channels of a remote command. The first byte of every message names one. */
export const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** Newest first. Only the fifth version can say that standard input has ended. */
export const commandProtocols: readonly string[] = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

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
