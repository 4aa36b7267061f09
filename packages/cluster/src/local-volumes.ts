import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { refs } from '@coracle/api';
import { isAlreadyExists } from '@coracle/apimachinery';
import type { Client } from '@coracle/client';
import type { ControlPlaneOptions } from '@coracle/control-plane';

type LocalPath = NonNullable<ControlPlaneOptions['localPath']>;

/**
 * The directory of `local-path` volumes. Without a data directory nodes are simulated, and there is nothing to remove.
 */
export function localVolumes(dataDir: string | undefined): LocalPath {
  return {
    directory: dataDir === undefined ? '/var/lib/coracle/volumes' : join(dataDir, 'volumes'),
    remove: async (path) => {
      if (dataDir !== undefined) await rm(path, { recursive: true, force: true });
    },
  };
}

/** The default storage class. It is restored at the next start; changes by an administrator stay. */
export async function ensureDefaultClass(client: Client): Promise<void> {
  try {
    await client.resource(refs.storageClasses).create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'local-path', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'coracle.dev/local-path',
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'WaitForFirstConsumer',
      allowVolumeExpansion: true,
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
