import { type Pod, refs, type ServiceAccountTokenProjection } from '@coracle/api';
import type { Clock, Millis } from '@coracle/base';
import type { Client } from '@coracle/client';

/** A token request, and its response in the status. */
interface TokenRequest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: {
    readonly audiences?: readonly string[];
    readonly expirationSeconds?: number;
    readonly boundObjectRef: {
      readonly apiVersion: string;
      readonly kind: string;
      readonly name?: string;
      readonly uid?: string;
    };
  };
  readonly status?: { readonly token?: string };
}

/** A cached token, and when to request the next one. */
interface Given {
  readonly token: string;
  readonly renewAt: Millis;
}

/** Default validity of tokens: an hour. */
const defaultSeconds = 3_600;
const longestMs: Millis = 86_400_000;
/** Maximum number of pods whose tokens are cached. */
const mostKept = 10_000;

/**
 * Requests tokens of a pod's service account, bound to the pod. A token is reused until four fifths of its lifetime
 * have passed, or a day.
 */
export function tokenRequester(client: Client, clock: Clock) {
  const tokenCache = new Map<string, Given>();
  return async (pod: Pod, projection: ServiceAccountTokenProjection): Promise<string> => {
    const { audience = '', expirationSeconds = defaultSeconds } = projection;
    const key = `${pod.metadata.uid}/${audience}/${expirationSeconds}`;
    const entry = tokenCache.get(key);
    if (entry && clock.now() < entry.renewAt) return entry.token;
    const token = await requestToken(client, pod, projection);
    if (tokenCache.size >= mostKept) tokenCache.clear();
    tokenCache.set(key, { token, renewAt: clock.now() + Math.min(longestMs, Number(expirationSeconds) * 800) });
    return token;
  };
}

async function requestToken(
  client: Client,
  { metadata, spec }: Pod,
  { audience, expirationSeconds }: ServiceAccountTokenProjection,
): Promise<string> {
  const { name = '', uid = '', namespace = '' } = metadata;
  const request: TokenRequest = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {
      ...(audience && { audiences: [audience] }),
      ...(expirationSeconds !== undefined && { expirationSeconds }),
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
    },
  };
  const accounts = client.resource(refs.serviceAccounts, namespace);
  const answer = await accounts.createSubresource(spec?.serviceAccountName ?? 'default', 'token', request);
  // Subresources are untyped; a response without a token is an error.
  return (answer as TokenRequest).status?.token ?? '';
}
