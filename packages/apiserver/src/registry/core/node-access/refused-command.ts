import {
  type ApiResponse,
  type Channel,
  channelPair,
  commandChannels,
  frame,
  internalError,
} from '@coracle/apimachinery';

/** The protocol in which the server accepts the client's connection before it connects to the kubelet. */
const translated = 'v5.channel.k8s.io';

/**
 * Reports a kubelet's error. In v5 of the protocol the client is connected by then, and receives the error on the error
 * channel; otherwise it gets the kubelet's response.
 */
export function refusedCommand(refusal: ApiResponse, protocols: readonly string[]): Channel | ApiResponse {
  if (!protocols.includes(translated) || refusal.body.kind !== 'bytes') return refusal;
  const text = refusal.body.chunks.map((chunk) => new TextDecoder().decode(chunk)).join('');
  const { status } = internalError(new Error(`unable to upgrade connection: ${text.trim()}`));
  const [ours, theirs] = channelPair(translated);
  ours.send(frame(commandChannels.error, new TextEncoder().encode(JSON.stringify(status))));
  ours[Symbol.dispose]();
  return theirs;
}
