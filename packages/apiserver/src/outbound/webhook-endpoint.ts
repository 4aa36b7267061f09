import { maxRequestBytes } from '@coracle/apimachinery';
import { type Millis, messageOf } from '@coracle/base';
import type { UrlDestination } from './destination.js';
import type { Outbound } from './outbound.js';

/** A webhook of a kubeconfig file: `clusters` has the server, `users` the client credentials. */
export interface WebhookTarget {
  readonly url: string;
  readonly tls?: UrlDestination['tls'];
  /** `Bearer …` or `Basic …`. */
  readonly authorization?: string;
}

/** Sends JSON to one webhook, and returns its response. */
export interface WebhookEndpoint {
  post(body: string, signal?: AbortSignal): Promise<unknown>;
}

const timeoutMs: Millis = 30_000;

/** The target is read for each request: its file may have changed. */
export function webhookEndpoint(outbound: Outbound, target: () => WebhookTarget): WebhookEndpoint {
  return {
    async post(body, signal) {
      const { url, tls, authorization } = target();
      const { origin, pathname, search } = new URL(url);
      const answer = await outbound.ask(
        { kind: 'url', url: origin, ...(tls && { tls }) },
        {
          method: 'POST',
          path: pathname,
          query: search.slice(1),
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, */*',
            ...(authorization && { authorization }),
          },
          body: { kind: 'bytes', bytes: new TextEncoder().encode(body) },
          ...(signal && { signal }),
        },
        { timeoutMs, maxBytes: maxRequestBytes },
      );
      return parse(answer, url);
    },
  };
}

function parse({ status, bytes }: { readonly status: number; readonly bytes: Uint8Array }, url: string): unknown {
  const text = new TextDecoder().decode(bytes);
  if (status < 200 || status > 299) throw new Error(`webhook ${url} answered ${status}: ${text.slice(0, 200)}`);
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`webhook ${url} returned something other than JSON: ${messageOf(error)}`, { cause: error });
  }
}
