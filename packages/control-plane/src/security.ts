import {
  type ApiServerOptions,
  type Authenticator,
  type Authorizer,
  accessReviews,
  anonymousAt,
  authenticationReviews,
  authorizerByMode,
  bearerToken,
  bootstrapToken,
  clientCertificate,
  createTokenSigner,
  defaultPlugins,
  exceptProxies,
  forAudiences,
  inProcess,
  issuerDocuments,
  type LegacyToken,
  legacyToken,
  type Needs,
  noAnonymous,
  type ObjectReader,
  type Outbound,
  type PluginChoice,
  privilegedGroup,
  type RequestHeaderOptions,
  requestHeader,
  type SigningKey,
  serviceAccountToken,
  serviceAccountTokenRequest,
  signLegacyToken,
  type TokenAuthenticator,
  tokenFile,
  union,
  webSocketToken,
  whyCanEndpoints,
} from '@coracle/apiserver';
import type { Clock, Logger, Metrics, Random } from '@coracle/base';

/** Keys that sign and verify service account tokens. */
export interface SigningKeys {
  readonly id: string;
  /** `ES256` or `RS256`. */
  readonly algorithm: string;
  readonly privateKey: SigningKey;
  readonly publicKey: SigningKey;
}

/** A key that tokens may be signed with by others, or were signed with before. */
export type VerificationKey = Pick<SigningKeys, 'id' | 'algorithm' | 'publicKey'>;

export interface SecurityOptions {
  readonly signingKeys: SigningKeys;
  readonly verificationKeys?: readonly VerificationKey[];
  readonly issuer?: string;
  /** The audiences of tokens that the server accepts: its issuer by default. */
  readonly apiAudiences?: readonly string[];
  /** Tokens that are requested live no longer. */
  readonly maxTokenSeconds?: number;
  /** Whether nodes may join with bootstrap tokens in secrets; true by default. */
  readonly bootstrapTokens?: boolean;
  /** Authenticating proxies. */
  readonly requestHeader?: RequestHeaderOptions;
  /** Modes of `--authorization-mode`. */
  readonly authorizationModes?: readonly string[];
  /** The text of `--authorization-policy-file`, for the mode ABAC. */
  readonly authorizationPolicies?: string;
  /** The text of `--token-auth-file`, or a source of its tokens. */
  readonly staticTokens?: string | TokenAuthenticator;
  /**
   * Whether requests without a credential are authenticated as `system:anonymous`, and on which paths; true unless
   * stated.
   */
  readonly anonymousAuth?: boolean | { readonly paths: readonly string[] };
  /** Authenticators of tokens that others issue: OpenID Connect, webhooks. */
  readonly externalTokens?: (deps: {
    readonly outbound: Outbound;
    readonly audiences: readonly string[];
  }) => readonly TokenAuthenticator[];
  /** Instead of `authorizationModes`, if there are webhooks or a file configures the authorizers. */
  readonly externalAuthorizer?: (parts: Needs<'objects' | 'outbound'>) => Authorizer;
  readonly admission?: PluginChoice;
  readonly metrics?: Metrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

type TokenParts = Needs<'objects' | 'writer' | 'outbound'>;

const defaultIssuer = 'https://kubernetes.default.svc';

interface Security
  extends Pick<ApiServerOptions, 'authenticators' | 'authorizer' | 'admission' | 'subresources' | 'endpoints'> {
  /** Makes the tokens that secrets hold. */
  signToken(token: LegacyToken): Promise<string>;
}

/** Authentication, authorization and admission. */
export function createSecurity(options: SecurityOptions): Security {
  const { clock, random, signingKeys, issuer = defaultIssuer } = options;
  const audiences = options.apiAudiences?.length ? options.apiAudiences : [issuer];
  const fixed = staticTokensOf(options).map((kind) => forAudiences(kind, audiences));
  const keys = uniqueKeys([signingKeys, ...(options.verificationKeys ?? [])]);
  const tokens = once(({ objects, writer, outbound }: TokenParts): readonly TokenAuthenticator[] => [
    ...fixed,
    serviceAccountToken({
      keys,
      issuers: [issuer],
      audiences,
      objects,
      clock,
    }),
    legacyToken({ keys, audiences, objects, writer, clock, logger: options.logger }),
    ...(options.bootstrapTokens === false ? [] : [forAudiences(bootstrapToken({ objects, clock }), audiences)]),
    ...(options.externalTokens?.({ outbound, audiences }) ?? []),
  ]);
  const authorizer = once((parts: Needs<'objects' | 'outbound'>) => authorizerOf(options, parts));
  const signer = createTokenSigner({
    issuer,
    keyId: signingKeys.id,
    key: signingKeys.privateKey,
    algorithm: signingKeys.algorithm,
  });
  return {
    signToken: (token) =>
      signLegacyToken(token, {
        key: signingKeys.privateKey,
        keyId: signingKeys.id,
        algorithm: signingKeys.algorithm,
      }),
    authenticators: (parts) => [
      inProcess,
      ...(options.requestHeader
        ? [requestHeader(options.requestHeader), exceptProxies(options.requestHeader, clientCertificate)]
        : [clientCertificate]),
      bearerToken(tokens(parts)),
      webSocketToken(tokens(parts)),
      ...limitsOfAnonymous(options.anonymousAuth),
    ],
    authorizer,
    admission: ({ objects, writer, outbound, params }) => {
      const { logger, metrics } = options;
      const deps = {
        objects,
        writer,
        outbound,
        params,
        clock,
        random,
        logger,
        authorizer: authorizer({ objects, outbound }),
      };
      return defaultPlugins({ ...deps, ...(metrics && { metrics }) }, options.admission);
    },
    endpoints: (parts) => ({
      ...issuerDocuments({ issuer, keys, serverAddress: parts.serverAddress }),
      ...whyCanEndpoints(parts.objects, authorizer(parts)),
    }),
    subresources: (parts) => ({
      ...accessReviews(authorizer(parts)),
      ...authenticationReviews({ tokens: tokens(parts), audiences }),
      '/serviceaccounts/token': serviceAccountTokenRequest({
        signer,
        audiences,
        ...(options.maxTokenSeconds !== undefined && { maxSeconds: options.maxTokenSeconds }),
      }),
    }),
  };
}

function staticTokensOf({ staticTokens }: SecurityOptions): TokenAuthenticator[] {
  if (staticTokens === undefined) return [];
  return [typeof staticTokens === 'string' ? tokenFile(staticTokens) : staticTokens];
}

function authorizerOf(options: SecurityOptions, parts: Needs<'objects' | 'outbound'>): Authorizer {
  return options.externalAuthorizer?.(parts) ?? union([privilegedGroup, ...modes(options, parts.objects)]);
}

function limitsOfAnonymous(auth: SecurityOptions['anonymousAuth'] = true): Authenticator[] {
  if (typeof auth === 'object') return [anonymousAt(auth.paths)];
  return auth ? [] : [noAnonymous];
}

function uniqueKeys(keys: readonly VerificationKey[]) {
  const byId = new Map(keys.map(({ id, algorithm, publicKey }) => [id, { id, algorithm, key: publicKey }]));
  return [...byId.values()];
}

function modes(options: SecurityOptions, objects: ObjectReader): Authorizer[] {
  const { authorizationModes = ['Node', 'RBAC'], authorizationPolicies: policies } = options;
  return authorizationModes.map((mode) => {
    const make = authorizerByMode[mode];
    if (!make)
      throw new Error(
        `there is no authorization mode ${JSON.stringify(mode)}; there are ${Object.keys(authorizerByMode).join(', ')}`,
      );
    return make(objects, policies === undefined ? {} : { policies });
  });
}

/** One result for one server, however often it is requested. */
function once<A, R>(make: (argument: A) => R): (argument: A) => R {
  let made: { readonly result: R } | undefined;
  return (argument) => {
    made ??= { result: make(argument) };
    return made.result;
  };
}
