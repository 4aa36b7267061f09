import type { Clock, Millis } from '@coracle/base';

/** The credentials of a request. */
export interface Credentials {
  readonly token?: string;
  readonly basic?: { readonly username: string; readonly password: string };
  /** PEM, both or none. */
  readonly clientCertificate?: string;
  readonly clientKey?: string;
}

/** Where credentials come from that change with time. */
export interface CredentialSource {
  current(): Promise<Credentials>;
  /** The server rejected these credentials. The next `current` must return others if possible. */
  rejected(credentials: Credentials): void;
}

/** Credentials that were requested, and until when they are good. */
export interface Issued {
  readonly credentials: Credentials;
  readonly expiresAt?: Millis;
}

/** The same ones always. */
export function staticCredentials(credentials: Credentials): CredentialSource {
  return { current: () => Promise.resolve(credentials), rejected() {} };
}

/** Calls `issue` if there are no credentials, if they expire soon, and after the server rejected them. */
export class CachedCredentials implements CredentialSource {
  readonly #issue: () => Promise<Issued>;
  readonly #clock: Clock;
  readonly #leewayMs: Millis;
  #issued: Issued | undefined;
  /** Requests that come while credentials are being requested wait for the same answer. */
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
