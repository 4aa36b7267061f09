import { readFile } from 'node:fs/promises';
import {
  type AuthenticationSettings,
  type AuthorizationSettings,
  readAuthorizationConfig,
  readJwtConfigs,
  type WebhookSettings,
} from '@coracle/cluster';
import { readWebhookTarget } from '@coracle/platform-nodejs';
import { type Command, Option } from 'commander';
import { booleanFlag, collect, durationFlag, parseList } from './flag-values.js';

/** Flags of authentication and authorization by other servers, and of encryption at rest. */
export interface IdentityFlags {
  readonly oidcIssuerUrl?: string;
  readonly oidcClientId?: string;
  readonly oidcCaFile?: string;
  readonly oidcUsernameClaim: string;
  readonly oidcUsernamePrefix?: string;
  readonly oidcGroupsClaim?: string;
  readonly oidcGroupsPrefix?: string;
  readonly oidcRequiredClaim?: readonly string[];
  readonly oidcSigningAlgs: readonly string[];
  readonly authenticationConfig?: string;
  readonly authenticationTokenWebhookConfigFile?: string;
  readonly authenticationTokenWebhookVersion: 'v1' | 'v1beta1';
  readonly authenticationTokenWebhookCacheTtl: number;
  readonly authorizationMode: readonly string[];
  readonly authorizationConfig?: string;
  readonly authorizationWebhookConfigFile?: string;
  readonly authorizationWebhookVersion: 'v1' | 'v1beta1';
  readonly authorizationWebhookCacheAuthorizedTtl: number;
  readonly authorizationWebhookCacheUnauthorizedTtl: number;
  readonly encryptionProviderConfig?: string;
  readonly encryptionProviderConfigAutomaticReload: boolean;
}

export function addIdentityFlags(command: Command): Command {
  const version = (name: string, kind: string) =>
    new Option(`--${name} <version>`, `API version of the ${kind} that is sent`)
      .choices(['v1', 'v1beta1'])
      .default('v1beta1');
  return command
    .option('--oidc-issuer-url <url>', 'OpenID Connect issuer whose ID tokens are accepted')
    .option('--oidc-client-id <id>', 'audience of these ID tokens')
    .option('--oidc-ca-file <file>', "CA bundle that verifies the issuer's certificate")
    .option('--oidc-username-claim <claim>', 'claim that is the user name', 'sub')
    .option('--oidc-username-prefix <prefix>', 'prefix of user names; - for none (default: the issuer and #)')
    .option('--oidc-groups-claim <claim>', 'claim that holds the groups')
    .option('--oidc-groups-prefix <prefix>', 'prefix of groups')
    .option('--oidc-required-claim <key=value>', 'claim that must have this value; may be repeated', collect)
    .addOption(
      new Option('--oidc-signing-algs <list>', 'accepted signing algorithms')
        .argParser(parseList)
        .default(['RS256'], 'RS256'),
    )
    .option('--authentication-token-webhook-config-file <file>', 'kubeconfig of a webhook that reviews tokens')
    .addOption(version('authentication-token-webhook-version', 'TokenReview'))
    .addOption(
      durationFlag('authentication-token-webhook-cache-ttl', 'cache TTL of answers of the token webhook', 120_000),
    )
    .option('--authorization-config <file>', 'AuthorizationConfiguration file, instead of --authorization-mode')
    .option('--authorization-webhook-config-file <file>', 'kubeconfig of the authorization webhook')
    .addOption(version('authorization-webhook-version', 'SubjectAccessReview'))
    .addOption(durationFlag('authorization-webhook-cache-authorized-ttl', 'cache TTL of allowed requests', 300_000))
    .addOption(durationFlag('authorization-webhook-cache-unauthorized-ttl', 'cache TTL of denied requests', 30_000))
    .option(
      '--encryption-provider-config <file>',
      'EncryptionConfiguration file (default: encrypts secrets with a key in DIR)',
    )
    .addOption(
      booleanFlag(
        'encryption-provider-config-automatic-reload',
        'reload the EncryptionConfiguration file when it changes',
        false,
      ),
    );
}

/** The flags for tokens that others issue. */
export async function authenticationSettings(flags: IdentityFlags): Promise<AuthenticationSettings> {
  const { authenticationConfig: file, authenticationTokenWebhookConfigFile: webhookFile, oidcIssuerUrl } = flags;
  if (file !== undefined && oidcIssuerUrl !== undefined)
    throw new Error('authentication-config file and oidc-* flags are mutually exclusive');
  return {
    ...(oidcIssuerUrl !== undefined && {
      jwt: [await oidcConfig(flags, oidcIssuerUrl)],
      algorithms: flags.oidcSigningAlgs,
    }),
    ...(file !== undefined && { jwt: await readJwtConfigs(file), jwtFile: file }),
    ...(webhookFile !== undefined && {
      webhook: {
        target: await readWebhookTarget(webhookFile),
        kubeconfig: webhookFile,
        version: flags.authenticationTokenWebhookVersion,
        cacheTtlMs: flags.authenticationTokenWebhookCacheTtl,
      },
    }),
  };
}

type JwtConfig = NonNullable<AuthenticationSettings['jwt']>[number];

async function oidcConfig(flags: IdentityFlags, url: string): Promise<JwtConfig> {
  const { oidcClientId: audience, oidcUsernameClaim: claim, oidcCaFile, oidcGroupsClaim } = flags;
  if (audience === undefined)
    throw new Error('oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set');
  if (!url.startsWith('https://'))
    throw new Error(`--oidc-issuer-url: Invalid value: ${JSON.stringify(url)}: URL scheme must be https`);
  const { oidcUsernamePrefix: prefix } = flags;
  const usual = claim === 'email' ? '' : `${url}#`;
  return {
    issuer: {
      url,
      audiences: [audience],
      ...(oidcCaFile !== undefined && { certificateAuthority: await readFile(oidcCaFile, 'utf8') }),
    },
    claimMappings: {
      username: { claim, prefix: prefix === '-' ? '' : (prefix ?? usual) },
      ...(oidcGroupsClaim !== undefined && {
        groups: { claim: oidcGroupsClaim, prefix: flags.oidcGroupsPrefix ?? '' },
      }),
    },
    claimValidationRules: (flags.oidcRequiredClaim ?? []).map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return { claim: name, requiredValue: value.join('=') };
    }),
  };
}

/** The authorizers, if webhooks or a file configure them; otherwise the modes are enough. */
export async function authorizationSettings(
  flags: IdentityFlags,
  policies: string | undefined,
): Promise<AuthorizationSettings | undefined> {
  const { authorizationConfig: file, authorizationMode: modes, authorizationWebhookConfigFile: webhookFile } = flags;
  if (file !== undefined) return { entries: await readAuthorizationConfig(file), file, policies };
  if (!modes.includes('Webhook')) {
    if (webhookFile !== undefined)
      throw new Error('cannot specify --authorization-webhook-config-file without mode Webhook');
    return undefined;
  }
  if (webhookFile === undefined) throw new Error("authorization-mode Webhook's authorization config file not passed");
  const webhook: WebhookSettings = {
    target: await readWebhookTarget(webhookFile),
    kubeconfig: webhookFile,
    version: flags.authorizationWebhookVersion,
    authorizedTtlMs: flags.authorizationWebhookCacheAuthorizedTtl,
    unauthorizedTtlMs: flags.authorizationWebhookCacheUnauthorizedTtl,
    timeoutMs: 30_000,
    failurePolicy: 'NoOpinion',
    matchConditions: [],
  };
  return {
    entries: modes.map((type) => ({ type, name: type.toLowerCase(), ...(type === 'Webhook' && { webhook }) })),
    policies,
  };
}
