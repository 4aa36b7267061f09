import { readFile } from 'node:fs/promises';
import { parseDuration, parseYamlDocuments } from '@coracle/apimachinery';
import {
  type Authorizer,
  authorizerByMode,
  type ObjectReader,
  type Outbound,
  privilegedGroup,
  ReplaceableAuthorizer,
  union,
  webhookAuthorizer,
  webhookEndpoint,
} from '@coracle/apiserver';
import { type Clock, type DisposableStack, isRecord, type Logger } from '@coracle/base';
import { ReloadedFile, readWebhookTarget } from '@coracle/platform-nodejs';
import { currentTarget, type WebhookTargetSettings } from './webhook-target.js';

/** One authorizer of an `AuthorizationConfiguration`, or one mode of `--authorization-mode`. */
export interface AuthorizerEntry {
  readonly type: string;
  readonly name: string;
  readonly webhook?: WebhookSettings;
}

/** Settings of an authorization webhook. */
export interface WebhookSettings extends WebhookTargetSettings {
  readonly version: 'v1' | 'v1beta1';
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  readonly timeoutMs: number;
  readonly failurePolicy: 'NoOpinion' | 'Deny';
  readonly matchConditions: readonly string[];
}

/** Authorizers in their order. */
export interface AuthorizationSettings {
  readonly entries: readonly AuthorizerEntry[];
  /** Their file, which is reloaded when it changes. */
  readonly file?: string;
  /** The text of `--authorization-policy-file`. */
  readonly policies?: string | undefined;
}

interface Dependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly parts: DisposableStack;
}

/** The authorizers in their order, made when the server has its objects and its way out. */
export function createAuthorizer({ entries, file, policies }: AuthorizationSettings, deps: Dependencies) {
  return ({ objects, outbound }: { objects: ObjectReader; outbound: Outbound }): Authorizer => {
    const targets = new Map<string | undefined, ReturnType<typeof currentTarget>>();
    const targetOf = (settings: WebhookTargetSettings) => {
      const entry = settings.kubeconfig === undefined ? undefined : targets.get(settings.kubeconfig);
      const target = entry ?? currentTarget(settings, deps);
      targets.set(settings.kubeconfig, target);
      return target;
    };
    const make = ({ type, name, webhook }: AuthorizerEntry): Authorizer => {
      if (webhook) {
        const { target: _target, kubeconfig: _kubeconfig, ...settings } = webhook;
        const endpoint = webhookEndpoint(outbound, targetOf(webhook));
        return webhookAuthorizer({ name, endpoint, ...settings, ...deps });
      }
      const factory = authorizerByMode[type];
      if (!factory) throw new Error(`unknown authorizer type ${JSON.stringify(type)}`);
      return factory(objects, policies === undefined ? {} : { policies });
    };
    const all = (list: readonly AuthorizerEntry[]) => union([privilegedGroup, ...list.map(make)]);
    const authorizer = new ReplaceableAuthorizer(all(entries));
    if (file !== undefined) {
      const apply = async (text: string) => authorizer.replace(all(await parseEntries(text, file)));
      deps.parts.use(new ReloadedFile(file, '', { apply, logger: deps.logger }));
    }
    return authorizer;
  };
}

/** The authorizers that an `AuthorizationConfiguration` file names. */
export async function readAuthorizationConfig(file: string): Promise<readonly AuthorizerEntry[]> {
  return parseEntries(await readFile(file, 'utf8'), file);
}

const versions = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `apiserver.config.k8s.io/${version}`);

async function parseEntries(text: string, file: string): Promise<readonly AuthorizerEntry[]> {
  const value = parseYamlDocuments(Buffer.from(text))[0]?.value;
  const { kind, apiVersion, authorizers } = isRecord(value) ? value : {};
  if (kind !== 'AuthorizationConfiguration' || !versions.includes(String(apiVersion)))
    throw new Error(`${file} contains no AuthorizationConfiguration of ${versions.join(', ')}`);
  if (!Array.isArray(authorizers) || authorizers.length === 0)
    throw new Error(`${file}: authorizers: Required value: at least one authorization mode must be defined`);
  const entries = await Promise.all(
    authorizers.map((one: unknown, i) => parseEntry(one, `${file}: authorizers[${i}]`)),
  );
  const names = entries.map(({ name }) => name);
  if (new Set(names).size < names.length)
    throw new Error(`${file}: authorizers: Duplicate value: each name may occur once`);
  return entries;
}

async function parseEntry(value: unknown, path: string): Promise<AuthorizerEntry> {
  const { type, name, webhook } = isRecord(value) ? value : {};
  if (typeof type !== 'string' || (type !== 'Webhook' && !authorizerByMode[type]))
    throw new Error(`${path}.type: Unsupported value: ${JSON.stringify(type)}`);
  if (typeof name !== 'string' || name === '') throw new Error(`${path}.name: Required value`);
  if (type !== 'Webhook') return { type, name };
  return { type, name, webhook: await parseWebhook(webhook, `${path}.webhook`) };
}

async function parseWebhook(value: unknown, path: string): Promise<WebhookSettings> {
  const fields = isRecord(value) ? value : {};
  const { connectionInfo, failurePolicy, subjectAccessReviewVersion, matchConditions = [] } = fields;
  const connection = isRecord(connectionInfo) ? connectionInfo : {};
  if (connection['type'] !== 'KubeConfigFile' || typeof connection['kubeConfigFile'] !== 'string')
    throw new Error(`${path}.connectionInfo: Required value: a kubeConfigFile`);
  if (failurePolicy !== 'NoOpinion' && failurePolicy !== 'Deny')
    throw new Error(`${path}.failurePolicy: Required value`);
  if (subjectAccessReviewVersion !== 'v1' && subjectAccessReviewVersion !== 'v1beta1')
    throw new Error(`${path}.subjectAccessReviewVersion: Required value`);
  const span = (name: string, usualMs: number) => {
    const text = fields[name];
    const ms = text === undefined ? usualMs : parseDuration(String(text));
    if (ms === undefined || ms < 0) throw new Error(`${path}.${name}: Invalid value: ${JSON.stringify(text)}`);
    return ms;
  };
  const timeoutMs = span('timeout', 3_000);
  if (timeoutMs === 0 || timeoutMs > 30_000)
    throw new Error(`${path}.timeout: Invalid value: must be between 1s and 30s`);
  return {
    target: await readWebhookTarget(connection['kubeConfigFile']),
    kubeconfig: connection['kubeConfigFile'],
    version: subjectAccessReviewVersion,
    authorizedTtlMs: span('authorizedTTL', 300_000),
    unauthorizedTtlMs: span('unauthorizedTTL', 30_000),
    timeoutMs,
    failurePolicy,
    matchConditions: (matchConditions as readonly { readonly expression?: string }[]).map(
      ({ expression = '' }) => expression,
    ),
  };
}
