import {
  type ApiServerOptions,
  type Authorizer,
  accessReviews,
  authenticationReviews,
  authorizerByMode,
  bearerToken,
  bootstrapToken,
  clientCertificate,
  createTokenSigner,
  defaultPlugins,
  inProcess,
  type ObjectReader,
  type PluginChoice,
  privilegedGroup,
  type SigningKey,
  serviceAccountToken,
  serviceAccountTokenRequest,
  type TokenAuthenticator,
  tokenFile,
  union,
} from '@coracle/apiserver';
import type { Clock, Random } from '@coracle/base';

/** What service account tokens are signed and checked with. */
export interface SigningKeys {
  readonly id: string;
  /** `ES256` or `RS256`. */
  readonly algorithm: string;
  readonly privateKey: SigningKey;
  readonly publicKey: SigningKey;
}

export interface SecurityOptions {
  readonly signingKeys: SigningKeys;
  readonly issuer?: string;
  /** Modes of `--authorization-mode`. */
  readonly authorizationModes?: readonly string[];
  /** The text of `--token-auth-file`. */
  readonly staticTokens?: string;
  readonly admission?: PluginChoice;
  readonly clock: Clock;
  readonly random: Random;
}

export const defaultIssuer = 'https://kubernetes.default.svc';

type Security = Pick<ApiServerOptions, 'authenticators' | 'authorizer' | 'admission' | 'subresources'>;

/** Who somebody is, what they may do, and what becomes of their objects on the way in. */
export function createSecurity(options: SecurityOptions): Security {
  const { clock, random, signingKeys, issuer = defaultIssuer } = options;
  const audiences = [issuer];
  const fixed = options.staticTokens === undefined ? [] : [tokenFile(options.staticTokens)];
  const tokens = once((objects: ObjectReader): readonly TokenAuthenticator[] => [
    ...fixed,
    serviceAccountToken({
      keys: [{ id: signingKeys.id, key: signingKeys.publicKey, algorithm: signingKeys.algorithm }],
      issuers: [issuer],
      audiences,
      objects,
      clock,
    }),
    bootstrapToken({ objects, clock }),
  ]);
  const authorizer = once((objects: ObjectReader) => union([privilegedGroup, ...modes(options, objects)]));
  const signer = createTokenSigner({
    issuer,
    keyId: signingKeys.id,
    key: signingKeys.privateKey,
    algorithm: signingKeys.algorithm,
  });
  return {
    authenticators: (objects) => [inProcess, clientCertificate, bearerToken(tokens(objects))],
    authorizer,
    admission: (objects, writer) =>
      defaultPlugins({ objects, writer, clock, random, authorizer: authorizer(objects) }, options.admission),
    subresources: ({ objects }) => ({
      ...accessReviews(authorizer(objects)),
      ...authenticationReviews({ tokens: tokens(objects), audiences }),
      '/serviceaccounts/token': serviceAccountTokenRequest({ signer, audiences }),
    }),
  };
}

function modes({ authorizationModes = ['Node', 'RBAC'] }: SecurityOptions, objects: ObjectReader): Authorizer[] {
  return authorizationModes.map((mode) => {
    const make = authorizerByMode[mode];
    if (!make)
      throw new Error(
        `there is no authorization mode ${JSON.stringify(mode)}; there are ${Object.keys(authorizerByMode).join(', ')}`,
      );
    return make(objects);
  });
}

/** One result for one server, however often it is asked for. */
function once<A, R>(make: (argument: A) => R): (argument: A) => R {
  let made: { readonly result: R } | undefined;
  return (argument) => {
    made ??= { result: make(argument) };
    return made.result;
  };
}
