import {
  type ApiResponse,
  type Channel,
  channelPair,
  commandChannels,
  frame,
  internalError,
} from '@coracle/apimachinery';

/** The protocol in which the server itself serves the client before it connects to the kubelet. */
const translated = 'v5.channel.k8s.io';

/**
 * A kubelet's refusal. In the fifth version of the protocol the client is connected by then, and receives the error on
 * the error channel; in any other it gets the kubelet's own answer.
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
