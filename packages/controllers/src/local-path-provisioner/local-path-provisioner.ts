import { claimClass, type PersistentVolume, type PersistentVolumeClaim, refs } from '@coracle/api';
import { isAlreadyExists, isNotFound, keyOf, type ObjectKey } from '@coracle/apimachinery';
import { messageOf } from '@coracle/base';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { bindCompleted, storageProvisioner } from '../persistent-volume-binder/annotations.js';
import { isDisposable, planLocalVolume, provisionerName } from './plan-local-volume.js';

export interface LocalPathOptions {
  /** The directory of volumes on each node. */
  readonly directory: string;
  /** Removes the content of a volume. The path is below `directory`. */
  remove(path: string): Promise<void>;
}

/** Provisions volumes of the class `local-path`: a directory on the node of the pod, removed with its claim. */
export function localPathProvisioner(options: LocalPathOptions): Controller {
  return {
    name: 'local-path-provisioner-controller',
    account: 'persistent-volume-binder',
    component: provisionerName,
    start(context) {
      const { informers } = context;
      informers.for(refs.storageClasses);
      return runKeyed(context, {
        name: 'local-path-provisioner',
        workers: 1,
        watch: (queue) => [
          informers.for(refs.persistentVolumeClaims).addHandler(({ type, object }) => {
            if (type !== 'deleted' && isAsked(object)) queue.add(keyOf(object));
          }),
          informers.for(refs.persistentVolumes).addHandler(({ type, object }) => {
            if (type !== 'deleted' && isDisposable(object)) queue.add(keyOf(object));
          }),
        ],
        reconcile: (key) =>
          key.includes('/') ? provision(key, context, options.directory) : dispose(key, context, options),
      });
    },
  };
}

function isAsked({ metadata }: PersistentVolumeClaim): boolean {
  const { annotations = {} } = metadata;
  return annotations[storageProvisioner] === provisionerName && annotations[bindCompleted] === undefined;
}

async function provision(key: ObjectKey, context: ControllerContext, directory: string): Promise<void> {
  const { client, informers } = context;
  const claim = informers.for(refs.persistentVolumeClaims).get(key);
  if (!claim || !isAsked(claim) || claim.spec?.volumeName || claim.metadata.deletionTimestamp) return;
  const storageClass = informers.for(refs.storageClasses).get(claimClass(claim) ?? '');
  if (storageClass?.provisioner !== provisionerName) return;
  const plan = planLocalVolume(claim, storageClass, directory);
  const record = (type: 'Normal' | 'Warning', reason: string, message: string) =>
    context.recorder.event({ ...claim, apiVersion: 'v1', kind: 'PersistentVolumeClaim' }, type, reason, message);
  if (plan.kind === 'wait') return;
  if (plan.kind === 'refuse') {
    record(
      'Warning',
      'ProvisioningFailed',
      `failed to provision volume with StorageClass "${storageClass.metadata.name}": ${plan.message}`,
    );
    return;
  }
  record('Normal', 'Provisioning', `External provisioner is provisioning volume for claim "${key}"`);
  try {
    await client.resource(refs.persistentVolumes).create(plan.volume);
  } catch (error) {
    if (isAlreadyExists(error)) return;
    throw error;
  }
  record('Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${plan.volume.metadata.name}`);
}

async function dispose(
  name: ObjectKey,
  context: ControllerContext,
  { directory, remove }: LocalPathOptions,
): Promise<void> {
  const volume = context.informers.for(refs.persistentVolumes).get(name);
  if (!volume || !isDisposable(volume)) return;
  try {
    const { path = '' } = volume.spec?.hostPath ?? {};
    // The path may have been changed: nothing outside the directory is ever removed.
    if (path.startsWith(`${directory}/`) && !path.split('/').includes('..')) await remove(path);
  } catch (error) {
    recordFailure(context, volume, error);
    throw error;
  }
  const { uid } = volume.metadata;
  await context.client
    .resource(refs.persistentVolumes)
    .delete(name, uid ? { preconditions: { uid } } : {})
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
}

function recordFailure({ recorder }: ControllerContext, volume: PersistentVolume, error: unknown): void {
  const subject = { ...volume, apiVersion: 'v1', kind: 'PersistentVolume' };
  recorder.event(subject, 'Warning', 'VolumeFailedDelete', messageOf(error));
}
