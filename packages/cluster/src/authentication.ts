import { readFile } from 'node:fs/promises';
import { parseYamlDocuments } from '@coracle/apimachinery';
import {
  type JwtConfig,
  jwtAuthenticator,
  jwtProblems,
  type Outbound,
  ReplaceableTokens,
  type TokenAuthenticator,
  webhookEndpoint,
  webhookToken,
} from '@coracle/apiserver';
import { type Clock, type DisposableStack, isRecord, type Logger } from '@coracle/base';
import { ReloadedFile } from '@coracle/platform-nodejs';
import { currentTarget, type WebhookTargetSettings } from './webhook-target.js';

/** Settings of `--oidc-…`, `--authentication-config` and `--authentication-token-webhook-…`. */
export interface AuthenticationSettings {
  readonly jwt?: readonly JwtConfig[];
  /** Signing algorithms of `jwt`; all asymmetric ones by default. */
  readonly algorithms?: readonly string[];
  /** The file of `jwt`, which is reloaded when it changes. */
  readonly jwtFile?: string;
  readonly webhook?: WebhookTargetSettings & {
    readonly version: 'v1' | 'v1beta1';
    readonly cacheTtlMs: number;
  };
}

interface Dependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly parts: DisposableStack;
}

/** Further token authenticators, made once the server can make outbound calls. */
export function externalTokens(settings: AuthenticationSettings, { clock, logger, parts }: Dependencies) {
  return ({ outbound, audiences }: { outbound: Outbound; audiences: readonly string[] }): TokenAuthenticator[] => {
    const { jwt = [], algorithms, jwtFile, webhook } = settings;
    const deps = { outbound, clock, logger, apiAudiences: audiences, ...(algorithms && { algorithms }) };
    const tokens = new ReplaceableTokens();
    tokens.replace(jwt.map((config) => jwtAuthenticator(config, deps)));
    if (jwtFile !== undefined) {
      const apply = (text: string) =>
        tokens.replace(parseJwtConfigs(text, jwtFile).map((config) => jwtAuthenticator(config, deps)));
      parts.use(new ReloadedFile(jwtFile, '', { apply, logger }));
    }
    if (!webhook) return [tokens];
    const { version, cacheTtlMs } = webhook;
    const endpoint = webhookEndpoint(outbound, currentTarget(webhook, { logger, parts }));
    return [tokens, webhookToken({ endpoint, version, cacheTtlMs, apiAudiences: audiences, clock, logger })];
  };
}

/** The issuers that an `AuthenticationConfiguration` file names. */
export async function readJwtConfigs(file: string): Promise<readonly JwtConfig[]> {
  return parseJwtConfigs(await readFile(file, 'utf8'), file);
}

/** The `jwt` part of an `AuthenticationConfiguration`. */
function parseJwtConfigs(text: string, file: string, disallowedIssuers: readonly string[] = []): readonly JwtConfig[] {
  const value = parseYamlDocuments(Buffer.from(text))[0]?.value;
  const { jwt = [] } = isRecord(value) ? value : {};
  const configs = Array.isArray(jwt) ? (jwt as readonly unknown[]) : [];
  const problems = configs.flatMap((config, i) => jwtProblems(config, `jwt[${i}]`, disallowedIssuers));
  const urls = configs.map((config) => (config as JwtConfig).issuer?.url);
  urls.forEach((url, i) => {
    if (url !== undefined && urls.indexOf(url) < i)
      problems.push(`jwt[${i}].issuer.url: Duplicate value: ${JSON.stringify(url)}`);
  });
  if (problems.length > 0) throw new Error(`${file}: ${problems.join(', ')}`);
  return configs as readonly JwtConfig[];
}
