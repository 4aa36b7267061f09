import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import type { InformerFactory, InformerOptions, SharedInformer } from '@coracle/client';

/**
 * The shared informers for one controller: it waits only for those that it uses, so that a resource that cannot be read
 * stops only the controllers that need it.
 */
export function ownInformers(shared: InformerFactory): InformerFactory {
  const own = new Set<Pick<SharedInformer<KubeObject>, 'hasSynced' | 'synced'>>();
  return {
    for: <T extends KubeObject>(ref: ResourceRef<T>, options?: InformerOptions) => {
      const informer = shared.for(ref, options);
      own.add(informer);
      return informer;
    },
    start: () => shared.start(),
    // Further ones may be requested during the wait.
    synced: async () => {
      for (let waiting = unsynced(own); waiting.length > 0; waiting = unsynced(own)) await Promise.all(waiting);
    },
    [Symbol.asyncDispose]: () => shared[Symbol.asyncDispose](),
  };
}

function unsynced(informers: Iterable<Pick<SharedInformer<KubeObject>, 'hasSynced' | 'synced'>>): Promise<void>[] {
  return [...informers].filter(({ hasSynced }) => !hasSynced).map((informer) => informer.synced());
}
