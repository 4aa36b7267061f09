import { refs } from '@coracle/api';
import type { Cluster } from '@coracle/cluster';

/** A node `n` with a pod `p` whose volume `v` is attached to it. */
export async function createMountingPod(cluster: Cluster): Promise<void> {
  const { client } = cluster;
  const capacity = { storage: '1Gi' };
  const accessModes = ['ReadWriteOnce'];
  const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };
  await client.nodes().create({ metadata: { name: 'n', annotations }, spec: {} });
  await client.resource(refs.persistentVolumes).create({
    metadata: { name: 'v' },
    spec: { capacity, accessModes, csi: { driver: 'csi.example.com', volumeHandle: 'h' } },
  });
  await client.resource(refs.persistentVolumeClaims, 'default').create({
    metadata: { name: 'c' },
    spec: { accessModes, volumeName: 'v', resources: { requests: capacity } },
  });
  await client.pods('default').create({
    metadata: { name: 'p' },
    spec: {
      nodeName: 'n',
      serviceAccountName: 'default',
      automountServiceAccountToken: false,
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'c' } }],
    },
  });
  await cluster.settled();
}
