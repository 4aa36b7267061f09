import { claimClass, type PersistentVolume, type PersistentVolumeClaim, refs } from '@coracle/api';
import { keyOf, type ObjectKey, parseQuantity } from '@coracle/apimachinery';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { provisionerName } from '../local-path-provisioner/plan-local-volume.js';

/** Expands the volumes of claims that request more: `local-path` volumes itself, all others by their CSI driver. */
export const volumeExpandController: Controller = {
  name: 'persistentvolume-expander-controller',
  account: 'expand-controller',
  component: 'volume_expand',
  start(context) {
    const claims = context.informers.for(refs.persistentVolumeClaims);
    context.informers.for(refs.persistentVolumes);
    context.informers.for(refs.storageClasses);
    return runKeyed(context, {
      name: 'volume_expand',
      watch: (queue) => [
        claims.addHandler((event) => {
          const { type, object } = event;
          if (type === 'deleted' || !wantsMore(object)) return;
          if (type === 'updated' && requestOf(event.previous) === requestOf(object) && wantsMore(event.previous))
            return;
          queue.add(keyOf(object));
        }),
      ],
      reconcile: (key) => expand(context, key),
    });
  },
};

function requestOf({ spec }: PersistentVolumeClaim): string {
  return spec?.resources?.requests?.['storage'] ?? '0';
}

/** A bound claim that requests more than its capacity. */
function wantsMore(claim: PersistentVolumeClaim): boolean {
  const { phase, capacity } = claim.status ?? {};
  if (phase !== 'Bound' || !capacity?.['storage']) return false;
  return parseQuantity(requestOf(claim)).compare(parseQuantity(capacity['storage'])) > 0;
}

async function expand(context: ControllerContext, key: ObjectKey): Promise<void> {
  const { informers } = context;
  const claim = informers.for(refs.persistentVolumeClaims).get(key);
  const volume = informers.for(refs.persistentVolumes).get(claim?.spec?.volumeName ?? '');
  if (!claim || !volume || !wantsMore(claim)) return;
  const { provisioner } = informers.for(refs.storageClasses).get(claimClass(claim) ?? '') ?? {};
  if (provisioner === provisionerName) return expandDirectory(context, claim, volume);
  record(context, claim, 'ExternalExpanding', 'waiting for an external controller to expand this PVC');
}

/** A directory has the size of its disk, so only the capacity of the volume changes. */
async function expandDirectory(
  context: ControllerContext,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
): Promise<void> {
  const { client } = context;
  const storage = requestOf(claim);
  if (parseQuantity(volume.spec?.capacity?.['storage'] ?? '0').compare(parseQuantity(storage)) < 0)
    await client
      .resource(refs.persistentVolumes)
      .patch(volume.metadata.name ?? '', { spec: { capacity: { storage } } }, { type: 'merge' });
  await client
    .resource(refs.persistentVolumeClaims, claim.metadata.namespace)
    .patch(
      claim.metadata.name ?? '',
      { status: { capacity: { storage }, allocatedResources: { storage }, allocatedResourceStatuses: null } },
      { type: 'merge', subresource: 'status' },
    );
  record(context, claim, 'VolumeResizeSuccessful', `ExpandVolume succeeded for volume ${keyOf(claim)}`);
}

function record({ recorder }: ControllerContext, claim: PersistentVolumeClaim, reason: string, message: string): void {
  recorder.event({ ...claim, apiVersion: 'v1', kind: 'PersistentVolumeClaim' }, 'Normal', reason, message);
}
