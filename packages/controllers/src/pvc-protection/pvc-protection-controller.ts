import { type PersistentVolumeClaim, type Pod, refs } from '@coracle/api';
import { type ObjectKey, objectKey } from '@coracle/apimachinery';
import type { Controller, ControllerContext } from '../controller.js';
import { runProtection } from '../run-protection.js';
import { claimsOfPod, usesClaim } from './claims-of-pod.js';

const claimIndex = 'persistentVolumeClaims';

/** Allows the deletion of a claim when no pod uses it. */
export const pvcProtectionController: Controller = {
  name: 'persistentvolumeclaim-protection-controller',
  account: 'pvc-protection-controller',
  start(context) {
    const pods = context.informers.for(refs.pods);
    pods.addIndex(claimIndex, claimKeys);
    return runProtection(context, {
      name: 'pvcprotection',
      ref: refs.persistentVolumeClaims,
      finalizer: 'kubernetes.io/pvc-protection',
      watchUsers: (lookAt) => [
        pods.addHandler((event) => {
          for (const key of claimKeys(event.object)) lookAt(key);
          // A pod may have been replaced by another of its name.
          if (event.type === 'updated') for (const key of claimKeys(event.previous)) lookAt(key);
        }),
      ],
      isUsed: (claim) => isUsed(claim, context),
    });
  },
};

function claimKeys(pod: Pod): ObjectKey[] {
  return claimsOfPod(pod).map((name) => objectKey(pod.metadata.namespace ?? '', name));
}

/** Pods that the informer does not have yet count too: if it has none, pods are listed from the API server. */
async function isUsed(claim: PersistentVolumeClaim, { client, informers }: ControllerContext): Promise<boolean> {
  const { namespace = '', name = '' } = claim.metadata;
  const seen = informers.for(refs.pods).byIndex(claimIndex, objectKey(namespace, name));
  if (seen.some((pod) => usesClaim(pod, claim))) return true;
  const { items } = await client.resource(refs.pods, namespace).list();
  return items.some((pod) => usesClaim(pod, claim));
}
