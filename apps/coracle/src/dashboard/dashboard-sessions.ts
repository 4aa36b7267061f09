import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A browser that has shown a one-time link or a bearer token. */
export interface DashboardSession {
  /** In a cookie that scripts cannot read. Cookies go to every port of a host, so it is not enough alone. */
  readonly cookie: string;
  /** The page keeps it in the storage of its origin, which other ports cannot read. */
  readonly key: string;
  /** The bearer token of the cluster that was given at the login; absent where the kubeconfig has the credentials. */
  readonly token?: string;
}

/** Beyond it the oldest session ends, so that a client that opens pages again and again cannot fill the memory. */
const mostSessions = 100;

/** The sessions of the dashboard: a one-time link is exchanged for a cookie and a key. */
export class DashboardSessions {
  readonly #links = new Set<string>();
  readonly #sessions = new Map<string, DashboardSession>();

  /** A token for one exchange. */
  issueLink(): string {
    const token = secret();
    this.#links.add(digest(token));
    return token;
  }

  /** A session for a token that has not been used; none for any other. */
  redeem(token: string): DashboardSession | undefined {
    return this.#links.delete(digest(token)) ? this.open() : undefined;
  }

  open(token?: string): DashboardSession {
    const session = { cookie: secret(), key: secret(), ...(token !== undefined && { token }) };
    this.#sessions.set(digest(session.cookie), session);
    for (const oldest of this.#sessions.keys()) {
      if (this.#sessions.size <= mostSessions) break;
      this.#sessions.delete(oldest);
    }
    return session;
  }

  /** The session of a cookie and a key that belong together. */
  find(cookie: string | undefined, key: string | undefined): DashboardSession | undefined {
    const session = cookie === undefined ? undefined : this.#sessions.get(digest(cookie));
    return session && key !== undefined && isSame(session.key, key) ? session : undefined;
  }

  end({ cookie }: DashboardSession): void {
    this.#sessions.delete(digest(cookie));
  }
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}

/** The key of a look-up is a hash of the secret, so that its time reveals nothing about the secret. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function isSame(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}
