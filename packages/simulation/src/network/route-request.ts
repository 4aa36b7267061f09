import { type Random, randomInt } from '@coracle/base';
import {
  type BackendTarget,
  decide,
  type HeaderPair,
  type RequestHead,
  type RoutingTable,
  splitTarget,
} from '@coracle/ingress';
import type { Endpoint } from '@coracle/proxy';

export interface RouteRequestOptions {
  readonly table: RoutingTable;
  /** Port of the router that received the request. */
  readonly port: number;
  readonly random: Random;
  readonly endpointsOf: (target: BackendTarget) => readonly Endpoint[];
  readonly reach: (endpoint: Endpoint, request: Request) => Promise<Response>;
}

/** Answers a request as the router of a real node does, without a socket. */
export async function routeRequest(request: Request, options: RouteRequestOptions): Promise<Response> {
  const { table, random, endpointsOf, reach } = options;
  const decision = decide(table, headOf(request, options.port), random);
  if (decision.kind === 'respond') return answer(decision.status, decision.text, decision.headers);
  const endpoints = endpointsOf(decision.target);
  const endpoint = endpoints[randomInt(random, endpoints.length)];
  if (!endpoint) return answer(503, 'the service has no endpoints');
  const { head } = decision;
  const url = `${head.scheme}://${head.authority}${head.path}${head.query ? `?${head.query}` : ''}`;
  const forwarded = new Headers(head.headers.map(([name, value]): [string, string] => [name, value]));
  forwarded.set('x-forwarded-host', new URL(request.url).host);
  forwarded.set('x-forwarded-proto', head.scheme);
  forwarded.set('x-forwarded-port', String(head.port));
  const body = request.body === null ? {} : { body: await request.arrayBuffer() };
  const response = await reach(endpoint, new Request(url, { method: head.method, headers: forwarded, ...body }));
  const headers = decision.responseHeaders([...response.headers]);
  return new Response(response.body, { status: response.status, headers: new Headers(pairs(headers)) });
}

function headOf(request: Request, port: number): RequestHead {
  const { protocol, host, pathname, search } = new URL(request.url);
  const target = splitTarget(`${pathname}${search}`) ?? { path: '/', query: '' };
  const scheme = protocol === 'https:' ? 'https' : 'http';
  return { ...target, method: request.method, scheme, authority: host, headers: [...request.headers], port };
}

function answer(status: number, text: string, headers: readonly HeaderPair[] = []): Response {
  return new Response(text || null, { status, headers: new Headers(pairs(headers)) });
}

function pairs(headers: readonly HeaderPair[]): [string, string][] {
  return headers.map(([name, value]) => [name, value]);
}
