import type { admissionregistrationv1 } from '@coracle/api';
import { readJson, writeJson } from '@coracle/apimachinery';
import { type Millis, messageOf } from '@coracle/base';
import type { BoundedAnswer } from './bounded-answer.js';
import { type Destination, urlOf } from './destination.js';
import type { OutboundTls } from './dialer.js';
import type { Outbound } from './outbound.js';

/** The client configuration of a webhook, for admission and conversion. */
export type WebhookClientConfig = admissionregistrationv1.WebhookClientConfig;

/** The client certificate that the server presents to a webhook at that host. */
export type WebhookCredentials = (host: string) => OutboundCredentials | undefined;

export interface OutboundCredentials extends Pick<OutboundTls, 'clientCertificate' | 'clientKey'> {
  readonly token?: string;
}

export interface WebhookCall {
  readonly outbound: Outbound;
  readonly client: WebhookClientConfig;
  readonly credentials?: WebhookCredentials | undefined;
  readonly timeoutMs: Millis;
  /** The query of the request, such as `timeout=10s`. */
  readonly query?: string;
  readonly review: object;
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** A webhook answered with another code than that of success. */
export class WebhookRefusal extends Error {
  override readonly name = 'WebhookRefusal';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Sends a review to a webhook and returns its response. Failures are `Error`s with the messages of Go clients. */
export async function callWebhook(call: WebhookCall): Promise<unknown> {
  const { outbound, timeoutMs, maxBytes, query = '', review, signal } = call;
  const { to, path, token } = targetOf(call);
  const url = `${urlOf(to)}${path}${query === '' ? '' : `?${query}`}`;
  const request = {
    method: 'POST',
    path,
    query,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, */*',
      'user-agent': 'kube-apiserver-admission',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: { kind: 'bytes', bytes: new TextEncoder().encode(writeJson(review)) },
    ...(signal && { signal }),
  } as const;
  const answer = await outbound.ask(to, request, { timeoutMs, maxBytes }).catch((error: unknown) => {
    throw new Error(`Post ${JSON.stringify(url)}: ${messageOf(error)}`, { cause: error });
  });
  return parseAnswer(answer);
}

function targetOf({ client, credentials }: WebhookCall): {
  readonly to: Destination;
  readonly path: string;
  readonly token: string | undefined;
} {
  const { service, url = '', caBundle } = client;
  const host = service ? `${service.name}.${service.namespace}.svc:${service.port ?? 443}` : new URL(url).host;
  const { token, ...identity } = credentials?.(host) ?? {};
  const tls: OutboundTls = { ...(caBundle && { caBundle: atob(caBundle) }), ...identity };
  if (service) {
    const { namespace, name, path = '' } = service;
    const to = { kind: 'service', namespace, name, port: service.port ?? 443, tls } as const;
    return { to, path: path.startsWith('/') ? path : `/${path}`, token };
  }
  const { origin, pathname } = new URL(url);
  return { to: { kind: 'url', url: origin, tls }, path: pathname, token };
}

function parseAnswer({ status, bytes }: BoundedAnswer): unknown {
  const text = new TextDecoder().decode(bytes);
  if (status < 200 || status > 206) throw new WebhookRefusal(status, refusalText(status, text));
  try {
    return readJson(text);
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${messageOf(error)}`, { cause: error });
  }
}

const longestShown = 2048;

/** The error of Go clients for an unsuccessful response. */
function refusalText(status: number, text: string): string {
  const statusMessage = statusMessageIn(text);
  if (statusMessage !== undefined) return statusMessage;
  const body = text.trim().slice(0, longestShown) || 'unknown';
  switch (status) {
    case 400:
      return 'the server rejected our request for an unknown reason';
    case 401:
      return 'the server has asked for the client to provide credentials';
    case 403:
      return `forbidden: ${body}`;
    case 404:
      return 'the server could not find the requested resource';
    case 405:
      return 'the server does not allow this method on the requested resource';
    case 429:
      return 'the server has received too many requests and has asked us to try again later';
    case 503:
      return 'the server is currently unable to handle the request';
    case 504:
      return 'the server was unable to return a response in the time allotted, but may still be processing the request';
    default:
      return status >= 500
        ? `an error on the server (${JSON.stringify(body)}) has prevented the request from succeeding`
        : `the server responded with the status code ${status} but did not return more information`;
  }
}

function statusMessageIn(text: string): string | undefined {
  try {
    const { kind, message } = JSON.parse(text) as { readonly kind?: unknown; readonly message?: unknown };
    return kind === 'Status' && typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}
