import { refs } from '@coracle/api';
import { isAlreadyExists, isNotFound, parseTime } from '@coracle/apimachinery';
import type { Clock, Millis } from '@coracle/base';
import type { Client, Transport } from '@coracle/client';

export interface ServiceAccountTransportOptions {
  /** The way to the server, without any credentials. */
  readonly transport: Transport;
  /** Requests tokens, and makes accounts that are missing. */
  readonly client: Client;
  readonly clock: Clock;
  readonly account: { readonly namespace: string; readonly name: string };
}

interface Token {
  readonly text: string;
  /** When the token is renewed. */
  readonly renewAt: Millis;
}

const tokenSeconds = 3600;
/** Fraction of its lifetime for which a token is used. */
const usedShare = 0.8;

/** Acts as a service account, by tokens that it requests and renews. */
export function serviceAccountTransport(options: ServiceAccountTransportOptions): Transport {
  const { transport, clock } = options;
  let token: Promise<string> | undefined;
  let renewAt: Millis = 0;
  /** Concurrent callers share one token request. */
  const currentToken = (): Promise<string> => {
    if (token && clock.now() < renewAt) return token;
    renewAt = Number.POSITIVE_INFINITY;
    token = requestToken(options).then(
      (found) => {
        renewAt = found.renewAt;
        return found.text;
      },
      (error: unknown) => {
        token = undefined;
        throw error;
      },
    );
    return token;
  };
  return {
    ...transport,
    async exchange(request) {
      const authorization = `Bearer ${await currentToken()}`;
      const response = await transport.exchange({ ...request, headers: { ...request.headers, authorization } });
      // Its account may have been made again, and the token is of the old one.
      if (response.status === 401) token = undefined;
      return response;
    },
  };
}

async function requestToken(options: ServiceAccountTransportOptions): Promise<Token> {
  const { client, clock, account } = options;
  const accounts = client.resource(refs.serviceAccounts, account.namespace);
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: tokenSeconds },
  };
  const ask = () => accounts.createSubresource(account.name, 'token', body);
  const answer = await ask().catch(async (error: unknown) => {
    if (!isNotFound(error)) throw error;
    await makeAccount(options);
    return ask();
  });
  // What the server sends is checked no further: a token that is none is refused by it.
  const { token: text = '', expirationTimestamp = '' } = (answer as TokenAnswer).status ?? {};
  const now = clock.now();
  const endsAt = parseTime(expirationTimestamp) ?? now + tokenSeconds * 1000;
  return { text, renewAt: now + (endsAt - now) * usedShare };
}

interface TokenAnswer {
  readonly status?: { readonly token?: string; readonly expirationTimestamp?: string };
}

async function makeAccount({ client, account }: ServiceAccountTransportOptions): Promise<void> {
  const { namespace, name } = account;
  // The role of the controller manager allows no namespaces to be created. If one is missing, the account says so.
  await client
    .namespaces()
    .create({ metadata: { name: namespace } })
    .catch(() => undefined);
  await client
    .serviceAccounts(namespace)
    .create({ metadata: { name, namespace } })
    .catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
}
