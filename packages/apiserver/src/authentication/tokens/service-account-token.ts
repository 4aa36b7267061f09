import { refs } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import type { Clock, Millis } from '@coracle/base';
import { decodeJwt, errors, jwtVerify } from 'jose';
import type { ObjectReader } from '../../object-reader.js';
import type { Authenticated } from '../authenticator.js';
import { badToken, type TokenAuthenticator } from '../bearer-token.js';
import {
  type BoundObject,
  type ServiceAccountClaims,
  serviceAccountGroups,
  serviceAccountUserName,
} from './service-account-claims.js';
import type { SigningKey } from './token-signer.js';

export interface ServiceAccountTokenOptions {
  /** Keys that tokens may be signed with, by key id; the newest first. */
  readonly keys: readonly { readonly id: string; readonly key: SigningKey; readonly algorithm: string }[];
  readonly issuers: readonly string[];
  /** The audiences of a token that names none. */
  readonly audiences: readonly string[];
  readonly objects: ObjectReader;
  readonly clock: Clock;
}

/** Clock skew: a token is accepted for this long before and after its lifetime. */
const leewaySeconds = 60;

/** A good signature is good again: checking it costs more than everything else in a request. */
const rememberMs: Millis = 10_000;
const rememberAtMost = 4096;

/** Tokens that the server signed for service accounts. They are good while what they are bound to exists. */
export function serviceAccountToken(options: ServiceAccountTokenOptions): TokenAuthenticator {
  const remembered = new Map<string, { readonly until: Millis; readonly claims: ServiceAccountClaims }>();

  function recall(token: string): ServiceAccountClaims | undefined {
    const entry = remembered.get(token);
    if (entry && entry.until > options.clock.now()) return entry.claims;
    remembered.delete(token);
    return undefined;
  }

  async function verify(token: string): Promise<ServiceAccountClaims> {
    const claims = await verifySignature(token, options);
    if (remembered.size >= rememberAtMost) remembered.clear();
    remembered.set(token, {
      until: Math.min(options.clock.now() + rememberMs, (claims.exp + leewaySeconds) * 1000),
      claims,
    });
    return claims;
  }

  return {
    name: 'ServiceAccountToken',
    authenticateToken(token, audiences) {
      const cachedClaims = recall(token);
      if (cachedClaims) return identify(cachedClaims, options, audiences);
      if (!isOurs(token, options.issuers)) return undefined;
      return verify(token).then((claims) => identify(claims, options, audiences));
    },
  };
}

/** By its issuer, unverified: a token of another issuer is left to the other authenticators. */
function isOurs(token: string, issuers: readonly string[]): boolean {
  try {
    const { iss } = decodeJwt(token);
    return iss !== undefined && issuers.includes(iss);
  } catch {
    return false;
  }
}

async function verifySignature(
  token: string,
  { keys, issuers, clock }: ServiceAccountTokenOptions,
): Promise<ServiceAccountClaims> {
  for (const { key, algorithm } of keys) {
    try {
      const currentDate = new Date(clock.now());
      const { payload } = await jwtVerify(token, key, {
        algorithms: [algorithm],
        issuer: [...issuers],
        currentDate,
        clockTolerance: leewaySeconds,
      });
      return claimsOf({ ...payload, aud: [payload.aud ?? []].flat() });
    } catch (error) {
      // Times are looked at when the signature is good: no other key has signed it. Otherwise the next key decides.
      if (error instanceof errors.JWTExpired) throw badToken(expired);
      if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'nbf') throw badToken(early);
    }
  }
  throw badToken('go-jose/go-jose: error in cryptographic primitive');
}

const expired = 'service account token has expired';
const early = 'service account token is not valid yet';
const invalidated = 'service account token has been invalidated';

function identify(
  claims: ServiceAccountClaims,
  options: ServiceAccountTokenOptions,
  audiences = options.audiences,
): Authenticated {
  const accepted = claims.aud.filter((audience) => audiences.includes(audience));
  const bound = claims['kubernetes.io'];
  if (accepted.length === 0) throw badToken(wrongAudience(claims.aud, audiences));
  if (bound?.serviceaccount === undefined) throw badToken('service account token claims could not be validated');
  if ((claims.exp + leewaySeconds) * 1000 <= options.clock.now()) throw badToken(expired);
  checkBound(claims, options);
  const { namespace, serviceaccount, pod, node } = bound;
  const extra: Record<string, readonly string[]> = {
    'authentication.kubernetes.io/credential-id': [`JTI=${claims.jti}`],
  };
  if (pod) Object.assign(extra, prefixed('pod', pod));
  if (node) Object.assign(extra, prefixed('node', node));
  return {
    user: {
      name: serviceAccountUserName(namespace, serviceaccount.name),
      ...(serviceaccount.uid && { uid: serviceaccount.uid }),
      groups: serviceAccountGroups(namespace),
      extra,
    },
    audiences: accepted,
  };
}

function wrongAudience(audiences: readonly string[], expected: readonly string[]): string {
  const list = (names: readonly string[]) => `[${names.map((name) => JSON.stringify(name)).join(' ')}]`;
  return `token audiences ${list(audiences)} is invalid for the target audiences ${list(expected)}`;
}

function prefixed(
  kind: 'pod' | 'node',
  { name, uid }: { readonly name: string; readonly uid?: string },
): Record<string, readonly string[]> {
  return {
    [`authentication.kubernetes.io/${kind}-name`]: [name],
    ...(uid && { [`authentication.kubernetes.io/${kind}-uid`]: [uid] }),
  };
}

/** A token outlives the deletion of what it is bound to by this long, so that a pod can end in order. */
const graceAfterDeletionMs: Millis = 60_000;

function checkBound(claims: ServiceAccountClaims, { objects, clock }: ServiceAccountTokenOptions): void {
  const { namespace, serviceaccount, pod, secret, node } = claims['kubernetes.io'];
  const isGone = ({ metadata }: KubeObject) =>
    Date.parse(metadata.deletionTimestamp ?? '') + graceAfterDeletionMs < clock.now();
  const account = objects.get(refs.serviceAccounts, namespace, serviceaccount.name);
  if (!account) throw badToken(`serviceaccounts ${JSON.stringify(serviceaccount.name)} not found`);
  if (isGone(account)) throw badToken(`service account ${namespace}/${serviceaccount.name} has been deleted`);
  if (account.metadata.uid !== serviceaccount.uid)
    throw badToken(`service account UID (${account.metadata.uid}) does not match claim (${serviceaccount.uid})`);
  const mustBe = (kind: string, object: KubeObject | undefined, { uid }: BoundObject) => {
    if (!object || isGone(object)) throw badToken(invalidated);
    if (object.metadata.uid !== uid)
      throw badToken(
        `${kind} UID (${object.metadata.uid}) does not match service account ${kind} ref claim (${uid ?? ''})`,
      );
  };
  if (secret) mustBe('secret', objects.get(refs.secrets, namespace, secret.name), secret);
  if (pod) mustBe('pod', objects.get(refs.pods, namespace, pod.name), pod);
  // A token that is bound to a pod names its node only for information.
  if (node && !pod) mustBe('node', objects.get(refs.nodes, '', node.name), node);
}

/** What our key has signed we have written, with all of these claims. */
function claimsOf(payload: object): ServiceAccountClaims {
  return payload as ServiceAccountClaims;
}
