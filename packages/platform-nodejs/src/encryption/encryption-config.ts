import { type GroupResource, parseDuration } from '@coracle/apimachinery';
import {
  identity,
  resourceOfKey,
  TransformerChain,
  type TransformersOf,
  type ValueTransformer,
} from '@coracle/apiserver';
import { isRecord } from '@coracle/base';
import { aescbc, aesgcm, type CipherKey, secretbox } from './ciphers.js';
import type { KmsConnection } from './kms-connection.js';
import { KmsTransformer } from './kms-transformer.js';

/** The resources and providers of one entry of `EncryptionConfiguration`. */
interface EncryptedResources {
  readonly resources: readonly string[];
  readonly transformers: TransformerChain;
}

export interface EncryptionDependencies {
  /** KMS plugins by endpoint; they stay connected when the file is reloaded. */
  readonly connect: (options: { readonly endpoint: string; readonly timeoutMs: number }) => KmsConnection;
}

/** Reads an `EncryptionConfiguration`. Invalid keys are rejected here, so that no unreadable value is written. */
export async function readEncryptionConfig(value: unknown, deps: EncryptionDependencies): Promise<TransformersOf> {
  const { kind, apiVersion, resources } = isRecord(value) ? value : {};
  if (kind !== 'EncryptionConfiguration' || apiVersion !== 'apiserver.config.k8s.io/v1')
    throw new Error('expected an EncryptionConfiguration of apiserver.config.k8s.io/v1');
  if (!Array.isArray(resources) || resources.length === 0) throw new Error('resources: Required value');
  const entries = await Promise.all(resources.map((entry: unknown, i) => readEntry(entry, `resources[${i}]`, deps)));
  return lookUp(entries);
}

/** By the resource of a key, which is one object for all keys of a resource: called for every read and write. */
function lookUp(entries: readonly EncryptedResources[]): TransformersOf {
  const byResource = new Map<GroupResource, TransformerChain | null>();
  return (key) => {
    const resource = resourceOfKey(key);
    if (!resource) return undefined;
    let found = byResource.get(resource);
    if (found === undefined) {
      found = entries.find(({ resources }) => resources.some((one) => matches(one, resource)))?.transformers ?? null;
      byResource.set(resource, found);
    }
    return found ?? undefined;
  };
}

function matches(pattern: string, { group, resource }: GroupResource): boolean {
  if (pattern === '*.*') return true;
  if (pattern === '*.') return group === '';
  if (pattern.startsWith('*.')) return pattern.slice(2) === group;
  return pattern === (group === '' ? resource : `${resource}.${group}`);
}

async function readEntry(entry: unknown, path: string, deps: EncryptionDependencies): Promise<EncryptedResources> {
  const { resources, providers } = isRecord(entry) ? entry : {};
  if (!Array.isArray(resources) || resources.length === 0) throw new Error(`${path}.resources: Required value`);
  if (!Array.isArray(providers) || providers.length === 0) throw new Error(`${path}.providers: Required value`);
  const made = await Promise.all(
    providers.map((one: unknown, i) => readProvider(one, `${path}.providers[${i}]`, deps)),
  );
  return { resources: resources.map(String), transformers: new TransformerChain(made.flat()) };
}

const keyLengths: Readonly<Record<string, readonly number[]>> = {
  aescbc: [16, 24, 32],
  aesgcm: [16, 24, 32],
  secretbox: [32],
};

async function readProvider(
  provider: unknown,
  path: string,
  deps: EncryptionDependencies,
): Promise<readonly ValueTransformer[]> {
  const [kind, ...others] = isRecord(provider) ? Object.keys(provider) : [];
  if (kind === undefined)
    throw new Error(`${path}: Required value: provider does not contain any of the expected providers`);
  if (others.length > 0)
    throw new Error(`${path}: Invalid value: more than one provider specified in a single element`);
  const settings = (provider as Record<string, unknown>)[kind];
  if (kind === 'identity') return [identity];
  if (kind === 'kms') return [await readKms(settings, `${path}.kms`, deps)];
  const lengths = keyLengths[kind];
  if (!lengths) throw new Error(`${path}: unknown field ${JSON.stringify(kind)}`);
  const keys = readKeys(settings, `${path}.${kind}.keys`, lengths);
  if (kind === 'secretbox') return await Promise.all(keys.map(secretbox));
  return keys.map(kind === 'aesgcm' ? aesgcm : aescbc);
}

function readKeys(settings: unknown, path: string, lengths: readonly number[]): CipherKey[] {
  const { keys } = isRecord(settings) ? settings : {};
  if (!Array.isArray(keys) || keys.length === 0) throw new Error(`${path}: Required value: at least one key is needed`);
  return keys.map((key: unknown, i) => {
    const { name, secret } = isRecord(key) ? key : {};
    if (typeof name !== 'string' || name === '' || name.includes(':'))
      throw new Error(`${path}[${i}].name: Required value`);
    if (typeof secret !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(secret))
      throw new Error(`${path}[${i}].secret: Invalid value: "REDACTED": secret must be base64 encoded`);
    const bytes = Buffer.from(secret, 'base64');
    if (!lengths.includes(bytes.length))
      throw new Error(
        `${path}[${i}].secret: Invalid value: "REDACTED": secret is not of the expected length, got ${bytes.length}, expected one of [${lengths.join(' ')}]`,
      );
    return { name, secret: bytes };
  });
}

async function readKms(settings: unknown, path: string, deps: EncryptionDependencies): Promise<ValueTransformer> {
  const { apiVersion, name, endpoint, timeout = '3s' } = isRecord(settings) ? settings : {};
  if (apiVersion !== 'v2') throw new Error(`${path}.apiVersion: Unsupported value: only v2 is served`);
  if (typeof name !== 'string' || name === '' || name.includes(':')) throw new Error(`${path}.name: Required value`);
  if (typeof endpoint !== 'string' || !endpoint.startsWith('unix://'))
    throw new Error(`${path}.endpoint: Invalid value: unsupported scheme, expected unix`);
  const timeoutMs = parseDuration(String(timeout)) ?? 0;
  if (timeoutMs <= 0) throw new Error(`${path}.timeout: Invalid value: should be a positive value`);
  const transformer = new KmsTransformer(name, deps.connect({ endpoint, timeoutMs }));
  await transformer.check();
  return transformer;
}
