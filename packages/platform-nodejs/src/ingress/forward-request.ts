import type { Readable } from 'node:stream';
import { type Random, randomInt } from '@coracle/base';
import type { BackendTarget, Decision, RequestHead } from '@coracle/ingress';
import type { Endpoint } from '@coracle/proxy';
import { type Client, requestFields } from './forwarded-headers.js';
import { type SendToUpstream, UpstreamError, type UpstreamResponse } from './upstream.js';

export interface Upstreams {
  readonly endpointsOf: (target: BackendTarget) => readonly Endpoint[];
  readonly send: Readonly<Record<BackendTarget['protocol'], SendToUpstream>>;
  readonly random: Random;
}

export type Forwarding = Extract<Decision, { kind: 'forward' }>;

/** Default timeout of backends. */
export const usualTimeouts = { connectMs: 5_000, backendMs: 60_000 };

/** Number of endpoints that are tried before the request fails. */
const mostTries = 4;

export type ForwardOutcome =
  | { readonly kind: 'response'; readonly response: UpstreamResponse }
  | { readonly kind: 'failure'; readonly status: 502 | 503 | 504; readonly reason: string };

/**
 * Sends a request to an endpoint of the backend, and retries at another one while it cannot have had effects: a pod may
 * just have ended.
 */
export async function forwardRequest(
  { target, head, timeouts }: Pick<Forwarding, 'target' | 'head' | 'timeouts'>,
  request: { readonly client: Client; readonly body: Readable | undefined; readonly signal: AbortSignal },
  { endpointsOf, send, random }: Upstreams,
): Promise<ForwardOutcome> {
  const fields = requestFields(head, request.client);
  const path = pathOf(head);
  const tried = new Set<string>();
  let reason = 'the service has no endpoints';
  const deadline = startDeadline(timeouts.backendMs ?? usualTimeouts.backendMs, request.signal);
  try {
    for (let tries = 0; tries < mostTries; tries++) {
      const endpoint = pick(endpointsOf(target), tried, random);
      if (!endpoint) break;
      tried.add(`${endpoint.address} ${endpoint.port}`);
      const { connectMs } = usualTimeouts;
      const { signal } = deadline;
      try {
        const outgoing = { endpoint, method: head.method, path, fields, body: request.body, connectMs, signal };
        return { kind: 'response', response: await send[target.protocol](outgoing) };
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error;
        if (deadline.passed) return { kind: 'failure', status: 504, reason: 'the backend did not respond in time' };
        reason = `the backend did not answer: ${error.message}`;
        if (!error.untouched) break;
      }
    }
  } finally {
    deadline.clear();
  }
  return { kind: 'failure', status: tried.size === 0 ? 503 : 502, reason };
}

export function pathOf({ path, query }: Pick<RequestHead, 'path' | 'query'>): string {
  return query ? `${path}?${query}` : path;
}

function pick(endpoints: readonly Endpoint[], tried: ReadonlySet<string>, random: Random): Endpoint | undefined {
  const fresh = endpoints.filter(({ address, port }) => !tried.has(`${address} ${port}`));
  return fresh[randomInt(random, fresh.length)];
}

/** Aborts after the timeout, unless it is cleared before, or when the client has disconnected. */
function startDeadline(limitMs: number, gone: AbortSignal) {
  const aborter = new AbortController();
  const state = { passed: false };
  const timer = setTimeout(() => {
    state.passed = true;
    aborter.abort();
  }, limitMs);
  const leave = () => aborter.abort();
  gone.addEventListener('abort', leave, { once: true });
  if (gone.aborted) leave();
  return {
    signal: aborter.signal,
    get passed() {
      return state.passed;
    },
    /** A disconnect of the client still ends the exchange. */
    clear: () => clearTimeout(timer),
  };
}
