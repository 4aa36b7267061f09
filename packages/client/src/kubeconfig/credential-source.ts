import type { Clock, Millis } from '@coracle/base';

/** The credentials of a request. */
export interface Credentials {
  readonly token?: string;
  readonly basic?: { readonly username: string; readonly password: string };
  /** PEM, both or none. */
  readonly clientCertificate?: string;
  readonly clientKey?: string;
}

/** A source of credentials that change over time. */
export interface CredentialSource {
  current(): Promise<Credentials>;
  /** Called when the server rejected these credentials. The next `current` must return others if possible. */
  rejected(credentials: Credentials): void;
}

/** Issued credentials, and their expiry. */
export interface Issued {
  readonly credentials: Credentials;
  readonly expiresAt?: Millis;
}

/** A source of constant credentials. */
export function staticCredentials(credentials: Credentials): CredentialSource {
  return { current: () => Promise.resolve(credentials), rejected() {} };
}

/** Calls `issue` if there are no credentials, if they expire soon, and after the server rejected them. */
export class CachedCredentials implements CredentialSource {
  readonly #issue: () => Promise<Issued>;
  readonly #clock: Clock;
  readonly #leewayMs: Millis;
  #issued: Issued | undefined;
  /** Concurrent callers share one request for credentials. */
  #asking: Promise<Issued> | undefined;

  constructor(deps: { readonly issue: () => Promise<Issued>; readonly clock: Clock; readonly leewayMs?: Millis }) {
    this.#issue = deps.issue;
    this.#clock = deps.clock;
    this.#leewayMs = deps.leewayMs ?? 0;
  }

  async current(): Promise<Credentials> {
    const issued = this.#issued;
    if (issued && (issued.expiresAt === undefined || this.#clock.now() < issued.expiresAt - this.#leewayMs))
      return issued.credentials;
    return (await this.#ask()).credentials;
  }

  rejected(credentials: Credentials): void {
    if (this.#issued?.credentials === credentials) this.#issued = undefined;
  }

  async #ask(): Promise<Issued> {
    this.#asking ??= this.#issue();
    try {
      this.#issued = await this.#asking;
      return this.#issued;
    } finally {
      this.#asking = undefined;
    }
  }
}
