import {
  type ApiRequest,
  type ApiResponse,
  asStatusError,
  type Channel,
  channelPair,
  type Exchange,
} from '@coracle/apimachinery';
import type { Transport } from '@coracle/client';
import type { DashboardFiles } from './dashboard-files.js';
import type { DashboardSession, DashboardSessions } from './dashboard-sessions.js';
import { dataHeaders, pageHeaders } from './page-headers.js';
import { cookieOf, isFromElsewhere, type RequestGuardOptions, refusalOf } from './request-guard.js';
import { answerStream, streamProtocol } from './stream-channel.js';

export interface DashboardOptions extends RequestGuardOptions {
  readonly files: DashboardFiles;
  readonly sessions: DashboardSessions;
  /** Authentication of users: by a one-time link, or with a bearer token of the cluster. */
  readonly login: 'link' | 'token';
  /** Unique to this server: browsers send cookies to all ports of a host. */
  readonly cookieName: string;
  /** The location of the page. */
  readonly about: { readonly server: string; readonly namespace: string };
  /** The connection of a session to the cluster. */
  readonly transportFor: (session: DashboardSession) => Promise<Transport>;
}

/** The dashboard as a function from requests to answers, and from upgrades to channels. */
export interface Dashboard {
  readonly exchange: Exchange;
  upgrade(request: ApiRequest, protocols: readonly string[]): Promise<Channel | ApiResponse>;
}

/** Everything below it is the API of the cluster. */
const clusterPrefix = '/cluster';
const bearerProtocol = 'base64url.bearer.authorization.k8s.io.';

export function createDashboard(options: DashboardOptions): Dashboard {
  const exchange: Exchange = async (request) => {
    const refusal = refusalOf(request, options);
    if (refusal) return failure(refusal.status, refusal.message);
    if (request.path === '/session') return answerSession(request, options);
    if (request.path.startsWith(`${clusterPrefix}/`)) return answerFromCluster(request, options);
    if (request.method !== 'GET') return failure(405, 'the page can only be read');
    const file = await options.files.answer(request);
    if (!file) return failure(404, 'there is no such page');
    return { ...file, headers: { ...file.headers, ...pageHeaders(request.headers['host'] ?? '') } };
  };
  return { exchange, upgrade: (request, protocols) => upgrade(request, protocols, options) };
}

/** GET: the user, and how to log in. POST: exchanges a token for a cookie and a key. DELETE: ends the session. */
async function answerSession(request: ApiRequest, options: DashboardOptions): Promise<ApiResponse> {
  const { sessions, login, about, cookieName, scheme } = options;
  if (isFromElsewhere(request)) return failure(403, 'requests from other sites are not allowed');
  const session = sessionOf(request, options);
  if (request.method === 'GET') return json(200, { login, isIn: session !== undefined, ...(session && about) });
  if (request.method === 'DELETE') {
    if (session) sessions.end(session);
    return json(200, {}, { 'set-cookie': `${cookieName}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict` });
  }
  // Another site cannot send this type without a CORS preflight, which is never answered.
  if (request.method !== 'POST' || request.headers['content-type'] !== 'application/json')
    return failure(400, 'a session is begun by a POST of JSON');
  const opened = await open(request, options);
  if (!opened) return failure(401, login === 'link' ? 'this link has been used' : 'the cluster refused this token');
  const secure = scheme === 'https' ? '; Secure' : '';
  const cookie = `${cookieName}=${opened.cookie}; Path=/; HttpOnly; SameSite=Strict${secure}`;
  return json(200, { key: opened.key }, { 'set-cookie': cookie });
}

async function open(request: ApiRequest, options: DashboardOptions): Promise<DashboardSession | undefined> {
  const { sessions, login, transportFor } = options;
  const token = tokenIn(request);
  if (token === undefined) return undefined;
  if (login === 'link') return sessions.redeem(token);
  const session = sessions.open(token);
  const { exchange } = await transportFor(session);
  const answer = await exchange({ method: 'GET', path: '/version', query: '', headers: {} }).catch(() => undefined);
  if (answer && answer.status !== 401) return session;
  sessions.end(session);
  return undefined;
}

function tokenIn({ body }: ApiRequest): string | undefined {
  if (body?.kind !== 'bytes') return undefined;
  try {
    const { token } = JSON.parse(new TextDecoder().decode(body.bytes)) as { token?: unknown };
    return typeof token === 'string' && token !== '' && token.length < 10_000 ? token : undefined;
  } catch {
    return undefined;
  }
}

function sessionOf(request: ApiRequest, options: DashboardOptions): DashboardSession | undefined {
  const key = /^Bearer (\S+)$/.exec(request.headers['authorization'] ?? '')?.[1];
  return options.sessions.find(cookieOf(request, options.cookieName), key);
}

/** Headers of the page that are forwarded to the cluster. The transport adds the credentials. */
const forwarded = ['accept', 'content-type', 'if-none-match'];
/** Hop-by-hop headers, which end here; cookies of the cluster are not for the page. */
const ownOfTheWay = new Set(['content-length', 'content-encoding', 'transfer-encoding', 'connection', 'set-cookie']);

async function answerFromCluster(request: ApiRequest, options: DashboardOptions): Promise<ApiResponse> {
  const session = sessionOf(request, options);
  if (isFromElsewhere(request) || !session) return failure(401, 'this page has no session: open a new link');
  const { exchange } = await options.transportFor(session);
  try {
    const answer = await exchange(forCluster(request));
    const headers = Object.entries(answer.headers).filter(([name]) => !ownOfTheWay.has(name));
    return { ...answer, headers: { ...Object.fromEntries(headers), ...dataHeaders } };
  } catch (error) {
    return failure(502, `the cluster was not reached: ${asStatusError(error).message}`);
  }
}

function forCluster({ method, path, query, headers, body, signal }: ApiRequest): ApiRequest {
  const passedHeaders = forwarded.flatMap((name) =>
    headers[name] === undefined ? [] : [[name, headers[name]] as const],
  );
  return {
    method,
    path: path.slice(clusterPrefix.length),
    query,
    headers: { ...Object.fromEntries(passedHeaders), 'user-agent': 'coracle-dashboard' },
    ...(body && { body }),
    ...(signal && { signal }),
  };
}

/** Channels: streamed responses at `/stream`, and upgrades of the cluster below its prefix. */
async function upgrade(
  request: ApiRequest,
  protocols: readonly string[],
  options: DashboardOptions,
): Promise<Channel | ApiResponse> {
  const refusal = refusalOf(request, options);
  if (refusal) return failure(refusal.status, refusal.message);
  const shown = protocols.find((one) => one.startsWith(bearerProtocol))?.slice(bearerProtocol.length);
  const key = shown === undefined ? undefined : Buffer.from(shown, 'base64url').toString();
  const session = options.sessions.find(cookieOf(request, options.cookieName), key);
  // Browsers send the origin of every WebSocket. A request without one is not from this page.
  if (!session || request.headers['origin'] === undefined) return failure(401, 'this page has no session');
  const transport = await options.transportFor(session);
  if (request.path === '/stream' && protocols.includes(streamProtocol)) {
    const [ours, theirs] = channelPair(streamProtocol);
    answerStream(ours, transport.exchange);
    return theirs;
  }
  if (!request.path.startsWith(`${clusterPrefix}/`) || !transport.connect) return failure(404, 'nothing to upgrade');
  return transport.connect({
    path: request.path.slice(clusterPrefix.length),
    query: request.query,
    headers: { 'user-agent': 'coracle-dashboard' },
    protocols: protocols.filter((one) => !one.startsWith(bearerProtocol)),
    ...(request.signal && { signal: request.signal }),
  });
}

function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): ApiResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...dataHeaders, ...headers },
    body: { kind: 'bytes', chunks: [new TextEncoder().encode(JSON.stringify(value))] },
  };
}

function failure(code: number, message: string): ApiResponse {
  return json(code, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, message });
}
