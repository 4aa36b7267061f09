import { isRecord } from '@coracle/base';
import type { Issued } from './credential-source.js';

/** The settings of `auth-provider: oidc` in a kubeconfig. */
export type OidcSettings = Readonly<Record<string, string>>;

/** Sends requests to the identity provider, which has its own CAs. Returns the decoded JSON of a 200, or throws. */
export interface OidcProvider {
  get(url: string): Promise<unknown>;
  post(url: string, form: Readonly<Record<string, string>>, authorization?: string): Promise<unknown>;
}

/**
 * The identity token of the settings while it is valid; then a new one from the refresh token. New tokens are passed to
 * `save`, because a provider may allow a refresh token to be used only once.
 */
export async function issueOidcToken(
  settings: OidcSettings,
  deps: {
    readonly provider: OidcProvider;
    readonly now: number;
    readonly save: (tokens: OidcSettings) => Promise<void>;
  },
): Promise<Issued> {
  const idToken = settings['id-token'];
  const expiresAt = idToken ? expiryOf(idToken) : undefined;
  if (idToken && expiresAt !== undefined && deps.now + 10_000 < expiresAt)
    return { credentials: { token: idToken }, expiresAt };
  const tokens = await refresh(settings, deps.provider);
  await deps.save(tokens);
  const token = tokens['id-token'] ?? '';
  const renewedUntil = expiryOf(token);
  return { credentials: { token }, ...(renewedUntil !== undefined && { expiresAt: renewedUntil }) };
}

async function refresh(settings: OidcSettings, provider: OidcProvider): Promise<OidcSettings> {
  const {
    'idp-issuer-url': issuer,
    'refresh-token': refreshToken,
    'client-id': id = '',
    'client-secret': secret,
  } = settings;
  if (!issuer || !refreshToken) throw new Error('No valid id-token, and cannot refresh without refresh-token');
  const discovered = await provider.get(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  const endpoint = isRecord(discovered) ? discovered['token_endpoint'] : undefined;
  if (typeof endpoint !== 'string') throw new Error("oidc: discovery object doesn't contain a token_endpoint");
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken, ...(secret ? {} : { client_id: id }) };
  const answer = await provider.post(endpoint, form, secret ? `Basic ${btoa(`${id}:${secret}`)}` : undefined);
  const { id_token: token, refresh_token: next } = isRecord(answer) ? answer : {};
  if (typeof token !== 'string') throw new Error('token response did not contain an id_token');
  return { ...settings, 'id-token': token, 'refresh-token': typeof next === 'string' ? next : refreshToken };
}

/** The expiry of a JWT. It is not verified here: the server does that. */
function expiryOf(token: string): number | undefined {
  const [, payload = ''] = token.split('.');
  try {
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    const seconds = isRecord(claims) ? claims['exp'] : undefined;
    return typeof seconds === 'number' ? seconds * 1000 : undefined;
  } catch {
    return undefined;
  }
}
