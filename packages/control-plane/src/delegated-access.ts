import { refs } from '@coracle/api';
import { type ApiRequest, forbidden, unauthorized } from '@coracle/apimachinery';
import type { Clock, Millis } from '@coracle/base';
import type { Client } from '@coracle/client';

/** Throws if whoever asks may not. */
export type Access = (request: ApiRequest) => Promise<void>;

export interface DelegatedAccessOptions {
  /** Asks the API server as the component itself. */
  readonly client: Client;
  readonly clock: Clock;
  /** What anybody may read, also while the API server cannot be asked: `/healthz`. */
  readonly alwaysAllowed: readonly string[];
}

interface User {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
}

const anonymous: User = { user: 'system:anonymous', groups: ['system:unauthenticated'] };
/** How long what the API server has said is believed. */
const trustMs: Millis = 10_000;

/** Lets in whom the API server knows and allows the path, as all Kubernetes components do. */
export function delegatedAccess({ client, clock, alwaysAllowed }: DelegatedAccessOptions): Access {
  const users = new Remembered<User | undefined>(clock);
  const decisions = new Remembered<boolean>(clock);
  return async (request) => {
    if (alwaysAllowed.some((path) => covers(path, request.path))) return;
    const user = await userOf(request, { client, users });
    if (!user) throw unauthorized();
    const verb = verbs[request.method] ?? request.method.toLowerCase();
    const nonResourceAttributes = { path: request.path, verb };
    const allowed = await decisions.get(JSON.stringify([user, nonResourceAttributes]), async () => {
      const spec = { ...user, groups: [...user.groups], nonResourceAttributes };
      const review = await client.resource(refs.subjectAccessReviews).create({ metadata: {}, spec });
      return review.status?.allowed ?? false;
    });
    if (!allowed) {
      const why = `User ${JSON.stringify(user.user)} cannot ${verb} path ${JSON.stringify(request.path)}`;
      throw forbidden({ group: '', resource: '' }, '', why);
    }
  };
}

const verbs: Readonly<Record<string, string>> = { GET: 'get', HEAD: 'get', POST: 'create', PUT: 'update' };

/** `/healthz` for itself alone, `/healthz/*` for what is below. */
function covers(allowed: string, path: string): boolean {
  return allowed.endsWith('/*') ? path.startsWith(allowed.slice(0, -1)) : path === allowed;
}

/** `undefined` if the credentials are not good. */
async function userOf(
  { headers, peer }: ApiRequest,
  { client, users }: { readonly client: Client; readonly users: Remembered<User | undefined> },
): Promise<User | undefined> {
  if (peer?.certificate) {
    const { commonName, organizations } = peer.certificate;
    return { user: commonName, groups: [...organizations, 'system:authenticated'] };
  }
  const [, token] = /^Bearer (\S+)$/i.exec(headers['authorization'] ?? '') ?? [];
  if (token === undefined) return headers['authorization'] === undefined ? anonymous : undefined;
  return users.get(token, async () => {
    const { status } = await client.resource(refs.tokenReviews).create({ metadata: {}, spec: { token } });
    if (!status?.authenticated || !status.user) return undefined;
    const { username = '', uid, groups = [] } = status.user;
    return { user: username, ...(uid && { uid }), groups };
  });
}

/** What was found out a short while ago. */
class Remembered<T> {
  readonly #clock: Clock;
  readonly #known = new Map<string, { readonly until: Millis; readonly value: T }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async get(key: string, find: () => Promise<T>): Promise<T> {
    const now = this.#clock.now();
    const known = this.#known.get(key);
    if (known && known.until > now) return known.value;
    for (const [old, { until }] of this.#known) if (until <= now) this.#known.delete(old);
    const value = await find();
    this.#known.set(key, { until: now + trustMs, value });
    return value;
  }
}
