import { readFile } from 'node:fs/promises';
import type { StoreChoice } from '@coracle/cluster';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { booleanFlag, parseCount, parseList } from './flag-values.js';

/** The flags of the store, with kube-apiserver's names. */
export interface StoreFlags {
  readonly store: 'lmdb' | 'memory' | 'etcd';
  readonly etcdServers?: readonly string[];
  readonly etcdPrefix?: string;
  readonly etcdCafile?: string;
  readonly etcdCertfile?: string;
  readonly etcdKeyfile?: string;
  readonly watchCache: boolean;
  readonly defaultWatchCacheSize?: number;
  readonly watchCacheSizes?: Readonly<Record<string, number>>;
}

export function addStoreFlags(command: Command): Command {
  return command
    .addOption(new Option('--store <kind>', 'storage backend').choices(['lmdb', 'memory', 'etcd']).default('lmdb'))
    .option('--etcd-servers <urls>', 'URLs of etcd servers, separated by commas', parseList)
    .option('--etcd-prefix <prefix>', 'prefix of all keys in etcd (default: /registry)')
    .addOption(new Option('--etcd-servers-overrides <list>').argParser(refuseOverrides).hideHelp())
    .option('--etcd-cafile <file>', "CA bundle that verifies etcd's certificates")
    .option('--etcd-certfile <file>', 'client certificate for etcd')
    .option('--etcd-keyfile <file>', 'key of the client certificate for etcd')
    .addOption(booleanFlag('watch-cache').hideHelp())
    .addOption(new Option('--default-watch-cache-size <n>').argParser(parseCount).hideHelp())
    .addOption(new Option('--watch-cache-sizes <list>').argParser(parseCacheSizes).hideHelp());
}

/** Revisions are counted through one store: lists, watches and leases rely on a single order of all writes. */
function refuseOverrides(): never {
  throw new InvalidArgumentError('all resources are stored in one etcd: set it with --etcd-servers');
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
  const { etcdServers: endpoints = [], etcdPrefix, etcdCafile, etcdCertfile, etcdKeyfile } = flags;
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
