import { readFile } from 'node:fs/promises';
import type { SecureContextOptions } from 'node:tls';
import type { Clock } from '@coracle/base';
import {
  CachedCredentials,
  type Connection,
  type CredentialSource,
  type Credentials,
  impersonationHeaders,
  issueOidcToken,
  type Material,
  type OidcSettings,
  staticCredentials,
} from '@coracle/client';
import { execCredentials } from '../exec-credential.js';
import { oidcProvider } from './oidc-provider.js';

/** TLS options of a connection, without client credentials. */
export interface ServerTrust extends SecureContextOptions {
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** The credentials of one request. */
export interface Authorization {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Client certificate and key; requests with different ones cannot share a socket. */
  readonly identity: { readonly cert?: string; readonly key?: string };
  readonly credentials: Credentials;
}

export interface AuthDependencies {
  readonly clock: Clock;
  /** Called with tokens that an identity provider renewed: the old ones may no longer work. */
  readonly onTokensRenewed?: (settings: OidcSettings) => Promise<void>;
}

/** Authenticates to the server, with credentials that may change while a connection is open. */
export class ConnectionAuth {
  readonly trust: ServerTrust;
  readonly #source: CredentialSource;
  readonly #pair: CredentialSource;
  readonly #fixedHeaders: Readonly<Record<string, string | readonly string[]>>;

  private constructor(
    trust: ServerTrust,
    deps: { connection: Connection; pair: CredentialSource; source: CredentialSource },
  ) {
    this.trust = trust;
    this.#pair = deps.pair;
    this.#source = deps.source;
    const { impersonate } = deps.connection;
    this.#fixedHeaders = impersonate ? impersonationHeaders(impersonate) : {};
  }

  /** Reads the files of the connection. */
  static async open(connection: Connection, deps: AuthDependencies): Promise<ConnectionAuth> {
    const ca = await read(connection.certificateAuthority);
    const pair = pairOf(connection, deps.clock);
    // Problems with the files are reported now, not with the first request.
    await pair.current();
    const trust = {
      ...(ca !== undefined && { ca }),
      ...(connection.tlsServerName && { servername: connection.tlsServerName }),
      ...(connection.insecureSkipTlsVerify && { rejectUnauthorized: false }),
    };
    return new ConnectionAuth(trust, { connection, pair, source: sourceOf(connection, { ...deps, ca }) });
  }

  async authorize(): Promise<Authorization> {
    const credentials = await this.#source.current();
    const { token, basic, clientCertificate: cert, clientKey: key } = credentials;
    const authorization = token
      ? `Bearer ${token}`
      : basic && `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`;
    return {
      headers: { ...this.#fixedHeaders, ...(authorization && { authorization }) },
      identity: cert && key ? { cert, key } : identityOf(await this.#pair.current()),
      credentials,
    };
  }

  /** The server responded with 401. True if the next request may have other credentials. */
  rejected({ credentials }: Authorization): boolean {
    this.#source.rejected(credentials);
    return this.#source instanceof CachedCredentials;
  }
}

/** Files are read again after a minute at most: tokens are renewed about every hour, certificates before they expire. */
const filePeriodMs = 60_000;

/** Certificate and key of the connection. */
function pairOf({ credentials: { clientCertificate, clientKey } }: Connection, clock: Clock): CredentialSource {
  const issue = async () => {
    const [cert, key] = await Promise.all([read(clientCertificate), read(clientKey)]);
    return {
      credentials: {
        ...(cert !== undefined && { clientCertificate: cert }),
        ...(key !== undefined && { clientKey: key }),
      },
      ...([clientCertificate, clientKey].some(isFile) && { expiresAt: clock.now() + filePeriodMs }),
    };
  };
  return new CachedCredentials({ issue, clock });
}

function identityOf({ clientCertificate: cert, clientKey: key }: Credentials): Authorization['identity'] {
  return { ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) };
}

function isFile(material: Material | undefined): boolean {
  return material !== undefined && 'file' in material;
}

function sourceOf(
  connection: Connection,
  deps: AuthDependencies & { readonly ca: string | undefined },
): CredentialSource {
  const { clock, ca, onTokensRenewed } = deps;
  const { token, tokenFile, basic, exec, oidc, saveOidc } = connection.credentials;
  if (exec) return execCredentials({ exec, connection, clock, ...(ca !== undefined && { certificateAuthority: ca }) });
  if (tokenFile) {
    const issue = async () => ({
      credentials: { token: (await readFile(tokenFile, 'utf8')).trim() },
      expiresAt: clock.now() + filePeriodMs,
    });
    return new CachedCredentials({ issue, clock, leewayMs: 10_000 });
  }
  if (oidc) {
    let settings = oidc;
    const provider = oidcProvider(oidc);
    const save = async (tokens: OidcSettings) => {
      settings = tokens;
      await (onTokensRenewed ?? saveOidc)?.(tokens);
    };
    return new CachedCredentials({
      issue: () => issueOidcToken(settings, { provider, now: clock.now(), save }),
      clock,
      leewayMs: 10_000,
    });
  }
  return staticCredentials({ ...(token && { token }), ...(basic && { basic }) });
}

async function read(material: Material | undefined): Promise<string | undefined> {
  if (!material) return undefined;
  return 'data' in material ? material.data : readFile(material.file, 'utf8');
}
