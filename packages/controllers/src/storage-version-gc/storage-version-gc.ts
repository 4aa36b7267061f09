import { type apiserverinternalv1alpha1, refs } from '@coracle/api';
import { isNotFound } from '@coracle/apimachinery';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { whenServed } from '../when-served.js';

type StorageVersion = apiserverinternalv1alpha1.StorageVersion;

/** Identity leases of API servers. */
const identity = ['apiserver.kubernetes.io/identity', 'kube-apiserver'] as const;

/** Removes the storage versions of API servers that no longer exist. */
export const storageVersionGc: Controller = whenServed<StorageVersion>({
  name: 'storageversion-garbage-collector-controller',
  account: 'storage-version-garbage-collector',
  versions: [refs.storageVersions],
  start(context, ref) {
    const versions = context.informers.for(ref);
    const leases = context.informers.for(refs.leases);
    return runKeyed(context, {
      name: 'storage_version_garbage_collector',
      workers: 1,
      watch: (queue) => [
        versions.addHandler(({ type, object }) => {
          if (type !== 'deleted') queue.add(object.metadata.name ?? '');
        }),
        leases.addHandler(({ type, object }) => {
          if (type !== 'deleted' || object.metadata.labels?.[identity[0]] !== identity[1]) return;
          for (const { metadata } of versions.list()) queue.add(metadata.name ?? '');
        }),
      ],
      async reconcile(name) {
        const version = versions.get(name);
        if (version) await clean(version, context);
        return undefined;
      },
    });
  },
});

async function clean(version: StorageVersion, { client, informers }: ControllerContext): Promise<void> {
  const live = new Set(
    informers
      .for(refs.leases)
      .list()
      .filter(({ metadata }) => metadata.labels?.[identity[0]] === identity[1])
      .map(({ metadata }) => metadata.name),
  );
  const serverVersions = version.status?.storageVersions ?? [];
  const rest = serverVersions.filter(({ apiServerID }) => live.has(apiServerID));
  if (rest.length === serverVersions.length) return;
  const versions = client.resource(refs.storageVersions);
  const write =
    rest.length === 0
      ? versions.delete(version.metadata.name ?? '')
      : versions.updateStatus({ ...version, status: { ...version.status, storageVersions: rest } });
  await Promise.resolve(write).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}
