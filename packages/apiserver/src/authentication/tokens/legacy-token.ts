import { refs, type Secret } from '@coracle/api';
import { unauthorized } from '@coracle/apimachinery';
import type { Clock, Logger, Millis } from '@coracle/base';
import { decodeJwt, jwtVerify, SignJWT } from 'jose';
import type { ObjectReader, ObjectWriter } from '../../object-reader.js';
import type { Authenticated } from '../authenticator.js';
import type { TokenAuthenticator } from '../bearer-token.js';
import { serviceAccountGroups, serviceAccountUserName } from './service-account-claims.js';
import type { SigningKey } from './token-signer.js';

const issuer = 'kubernetes/serviceaccount';
const claim = (name: string) => `${issuer}/${name}`;

/** Set on the secret on the first use of a day. */
const lastUsedLabel = 'kubernetes.io/legacy-token-last-used';
/** The controller that cleans up unused tokens disables them by this label first. */
const invalidSinceLabel = 'kubernetes.io/legacy-token-invalid-since';

/** The account that a token stands for, and the secret that holds it. */
export interface LegacyToken {
  readonly namespace: string;
  readonly account: { readonly name: string; readonly uid: string };
  readonly secret: string;
}

/** Signs a token that never expires and is good as long as its secret holds it. */
export function signLegacyToken(
  { namespace, account, secret }: LegacyToken,
  { key, keyId, algorithm }: { readonly key: SigningKey; readonly keyId: string; readonly algorithm: string },
): Promise<string> {
  return new SignJWT({
    iss: issuer,
    [claim('namespace')]: namespace,
    [claim('secret.name')]: secret,
    [claim('service-account.name')]: account.name,
    [claim('service-account.uid')]: account.uid,
    sub: serviceAccountUserName(namespace, account.name),
  })
    .setProtectedHeader({ alg: algorithm, kid: keyId })
    .sign(key);
}

export interface LegacyTokenOptions {
  readonly keys: readonly { readonly key: SigningKey; readonly algorithm: string }[];
  /** What these tokens are good for: they do not say so themselves. */
  readonly audiences: readonly string[];
  readonly objects: ObjectReader;
  readonly writer: ObjectWriter;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A good signature is good again for a while. */
const rememberMs: Millis = 10_000;
const rememberAtMost = 1_024;

/** Tokens in secrets of the type `kubernetes.io/service-account-token`. */
export function legacyToken(options: LegacyTokenOptions): TokenAuthenticator {
  const remembered = new Map<string, { readonly until: Millis; readonly read: LegacyToken }>();
  return {
    name: 'LegacyServiceAccountToken',
    authenticateToken(token, audiences = options.audiences) {
      const cachedToken = remembered.get(token);
      if (cachedToken && cachedToken.until > options.clock.now())
        return identify(token, cachedToken.read, { options, audiences });
      remembered.delete(token);
      if (!isLegacy(token)) return undefined;
      return verify(token, options).then((read) => {
        if (remembered.size >= rememberAtMost) remembered.clear();
        remembered.set(token, { until: options.clock.now() + rememberMs, read });
        return identify(token, read, { options, audiences });
      });
    },
  };
}

function isLegacy(token: string): boolean {
  try {
    return decodeJwt(token).iss === issuer;
  } catch {
    return false;
  }
}

async function verify(token: string, { keys, clock }: LegacyTokenOptions): Promise<LegacyToken> {
  for (const { key, algorithm } of keys) {
    try {
      const currentDate = new Date(clock.now());
      const { payload } = await jwtVerify(token, key, { algorithms: [algorithm], issuer, currentDate });
      return readClaims(payload);
    } catch {
      // Signed with another key: the next one decides.
    }
  }
  throw unauthorized();
}

function readClaims(payload: Readonly<Record<string, unknown>>): LegacyToken {
  const text = (name: string) => {
    const value = payload[claim(name)];
    if (typeof value !== 'string' || value === '') throw unauthorized();
    return value;
  };
  const read: LegacyToken = {
    namespace: text('namespace'),
    account: { name: text('service-account.name'), uid: text('service-account.uid') },
    secret: text('secret.name'),
  };
  if (payload['sub'] !== serviceAccountUserName(read.namespace, read.account.name)) throw unauthorized();
  return read;
}

function identify(
  token: string,
  { namespace, account, secret: secretName }: LegacyToken,
  { options, audiences }: { readonly options: LegacyTokenOptions; readonly audiences: readonly string[] },
): Authenticated {
  const accepted = options.audiences.filter((audience) => audiences.includes(audience));
  const secret = options.objects.get(refs.secrets, namespace, secretName);
  const serviceAccount = options.objects.get(refs.serviceAccounts, namespace, account.name);
  const isGood =
    accepted.length > 0 &&
    secret !== undefined &&
    secret.metadata.deletionTimestamp === undefined &&
    secret.metadata.labels?.[invalidSinceLabel] === undefined &&
    secret.data?.['token'] === btoa(token) &&
    serviceAccount !== undefined &&
    serviceAccount.metadata.deletionTimestamp === undefined &&
    serviceAccount.metadata.uid === account.uid;
  if (!isGood) throw unauthorized();
  noteUse(secret, options);
  return {
    user: {
      name: serviceAccountUserName(namespace, account.name),
      uid: account.uid,
      groups: serviceAccountGroups(namespace),
    },
    audiences: accepted,
  };
}

/** The request does not wait for it, and is none the worse if it fails. */
function noteUse({ metadata }: Secret, { writer, clock, logger }: LegacyTokenOptions): void {
  const today = new Date(clock.now()).toISOString().slice(0, 10);
  if (metadata.labels?.[lastUsedLabel] === today) return;
  const { namespace = '', name = '' } = metadata;
  writer
    .update(refs.secrets, namespace, name, (secret) => ({
      ...secret,
      metadata: { ...secret.metadata, labels: { ...secret.metadata.labels, [lastUsedLabel]: today } },
    }))
    .catch((error: unknown) => logger.error('failed to record the last use of a token', { namespace, name, error }));
}
