import { readFile } from 'node:fs/promises';
import type { StoreChoice, StoreOverrideChoice } from '@coracle/cluster';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { booleanFlag, parseCount, parseList } from './flag-values.js';

/** The flags of the store, with kube-apiserver's names. */
export interface StoreFlags {
  readonly store: 'lmdb' | 'memory' | 'etcd';
  readonly etcdServers?: readonly string[];
  readonly etcdPrefix?: string;
  readonly etcdServersOverrides?: readonly EtcdOverride[];
  readonly etcdCafile?: string;
  readonly etcdCertfile?: string;
  readonly etcdKeyfile?: string;
  readonly watchCache: boolean;
  readonly defaultWatchCacheSize?: number;
  readonly watchCacheSizes?: Readonly<Record<string, number>>;
}

/** A resource, as `group/resource`, and where its etcd is. */
interface EtcdOverride {
  readonly resource: string;
  readonly servers: readonly string[];
}

export function addStoreFlags(command: Command): Command {
  return command
    .addOption(new Option('--store <kind>', 'storage backend').choices(['lmdb', 'memory', 'etcd']).default('lmdb'))
    .option('--etcd-servers <urls>', 'URLs of etcd servers, separated by commas', parseList)
    .option('--etcd-prefix <prefix>', 'prefix of all keys in etcd (default: /registry)')
    .option(
      '--etcd-servers-overrides <list>',
      'built-in resources with another etcd: GROUP/RESOURCE#URL;URL, separated by commas',
      parseOverrides,
    )
    .option('--etcd-cafile <file>', "CA bundle that verifies etcd's certificates")
    .option('--etcd-certfile <file>', 'client certificate for etcd')
    .option('--etcd-keyfile <file>', 'key of the client certificate for etcd')
    .addOption(booleanFlag('watch-cache').hideHelp())
    .addOption(new Option('--default-watch-cache-size <n>').argParser(parseCount).hideHelp())
    .addOption(new Option('--watch-cache-sizes <list>').argParser(parseCacheSizes).hideHelp());
}

function parseOverrides(text: string): EtcdOverride[] {
  return parseList(text).map((one) => {
    const [resource = '', servers = '', ...rest] = one.split('#');
    if (servers === '' || rest.length > 0 || resource.split('/').length !== 2)
      throw new InvalidArgumentError(
        'it must be of format: group/resource#servers, where servers are URLs, semicolon separated',
      );
    return { resource, servers: servers.split(';').map((url) => url.trim()) };
  });
}

function parseCacheSizes(text: string): Record<string, number> {
  return Object.fromEntries(
    parseList(text).map((one) => {
      const [resource = '', size, ...rest] = one.split('#');
      if (size === undefined || rest.length > 0)
        throw new InvalidArgumentError(`invalid value of watch cache size: ${one}`);
      if (/^-\d+$/.test(size)) throw new InvalidArgumentError(`watch cache size cannot be negative: ${one}`);
      if (!/^\d+$/.test(size)) throw new InvalidArgumentError(`invalid size of watch cache size: ${one}`);
      return [resource, Number(size)];
    }),
  );
}

/**
 * Caches grow and shrink by themselves, as in kube-apiserver: what it still takes from these flags is which to do
 * without.
 */
export function cachesToDoWithout(flags: StoreFlags): string[] {
  const { watchCache, defaultWatchCacheSize, watchCacheSizes = {} } = flags;
  const ignoredFlags = { '--watch-cache': !watchCache, '--default-watch-cache-size': defaultWatchCacheSize === 0 };
  const none = Object.values(watchCacheSizes).includes(0);
  return Object.entries({ ...ignoredFlags, '--watch-cache-sizes': none })
    .filter(([, isSet]) => isSet)
    .map(([flag]) => flag);
}

export async function storeChoice(flags: StoreFlags, dataDir: string): Promise<StoreChoice> {
  if (flags.store === 'memory') return { kind: 'memory' };
  if (flags.store === 'lmdb') return { kind: 'lmdb', dataDir };
  return await etcdAt(flags.etcdServers ?? [], flags);
}

/** Resources with the same servers share a store. */
export async function storeOverrides(flags: StoreFlags): Promise<StoreOverrideChoice[]> {
  const byServers = new Map<string, EtcdOverride[]>();
  for (const override of flags.etcdServersOverrides ?? []) {
    const key = override.servers.join(';');
    byServers.set(key, [...(byServers.get(key) ?? []), override]);
  }
  return await Promise.all(
    [...byServers].map(async ([servers, overrides]) => ({
      resources: overrides.map(({ resource }) => resource),
      store: await etcdAt(servers.split(';'), flags),
    })),
  );
}

async function etcdAt(endpoints: readonly string[], flags: StoreFlags): Promise<StoreChoice> {
  const { etcdPrefix, etcdCafile, etcdCertfile, etcdKeyfile } = flags;
  const [ca, certificate, key] = await Promise.all(
    [etcdCafile, etcdCertfile, etcdKeyfile].map((file) => file && readFile(file)),
  );
  const tls = { ...(ca && { ca }), ...(certificate && { certificate }), ...(key && { key }) };
  return {
    kind: 'etcd',
    endpoints,
    ...(etcdPrefix !== undefined && { root: etcdPrefix }),
    ...(Object.keys(tls).length > 0 && { tls }),
  };
}
