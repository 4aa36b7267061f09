import { CachedDiscovery, type Client, type DiscoveryFiles } from '@coracle/client';
import type { FlagValues } from '../command/flag-values.js';
import type { Host } from '../host.js';
import { discoveryFilesIn } from './discovery-files.js';

interface DiscoveryOptions {
  readonly client: Client;
  readonly host: Host;
  readonly flags: FlagValues;
  readonly server: () => Promise<string>;
}

/** Discovery of the server, with a cache on disk if there are files. */
export async function openDiscovery(options: DiscoveryOptions): Promise<CachedDiscovery> {
  const files = await discoveryFiles(options);
  return new CachedDiscovery({ client: options.client, clock: options.host.clock, ...(files && { files }) });
}

async function discoveryFiles({ host, flags, server }: DiscoveryOptions): Promise<DiscoveryFiles | undefined> {
  const { files } = host;
  if (!files || !flags.has('cache-dir')) return undefined;
  const folder = flags.string('cache-dir') || `${files.homeDirectory}/.kube/cache`;
  return discoveryFilesIn(files, { folder, server: await server() });
}
