import { contentHash } from '../resources/name-hash.js';
import { type KustomizeResource, nameOf, rememberName, rename } from './resource.js';

/** Appends the hash of their content to the names of those that request it. */
export async function appendHashes(resources: readonly KustomizeResource[]): Promise<void> {
  for (const resource of resources) {
    if (!resource.needsHash) continue;
    resource.needsHash = false;
    rememberName(resource);
    const hash = await contentHash({ ...resource.object, metadata: { name: '' } });
    rename(resource, `${nameOf(resource.object)}-${hash}`);
  }
}
