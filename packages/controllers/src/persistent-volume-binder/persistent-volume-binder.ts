import { claimClass, type PersistentVolume, type PersistentVolumeClaim, refs, volumeClass } from '@coracle/api';
import { isNotFound, keyOf, type ObjectKey } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { type Controller, type ControllerContext, type KeyQueue, runKeyed } from '../controller.js';
import { bindCompleted } from './annotations.js';
import { bind, saveClaimStatus, savePhase, unbind } from './bind.js';
import { defaultClassOf } from './default-class.js';
import { type ClaimEvent, type ClaimPlan, planClaim } from './plan-claim.js';
import { planVolume, type Reclaim } from './plan-volume.js';
import { askForVolume } from './provision.js';

/** Interval of resyncs of a claim without a volume. */
const defaultSyncPeriodMs: Millis = 15_000;
const unboundByClass = 'unbound-claims-by-class';
const podsByClaim = 'pods-by-claim';

export interface PersistentVolumeBinderOptions {
  /** `--pvclaimbinder-sync-period`. */
  readonly syncPeriodMs?: Millis | undefined;
  /** `--enable-dynamic-provisioning`: otherwise claims of a class wait until a volume is created for them. */
  readonly isProvisioningEnabled?: boolean | undefined;
}

type Settings = {
  readonly [Name in keyof PersistentVolumeBinderOptions]-?: NonNullable<PersistentVolumeBinderOptions[Name]>;
};

/**
 * Binds claims to volumes and keeps the phases of both. Keys of claims have a namespace, keys of volumes have none; one
 * worker syncs both kinds, so that two claims never compete for one volume.
 */
export function persistentVolumeBinder(options: PersistentVolumeBinderOptions = {}): Controller {
  const { syncPeriodMs = defaultSyncPeriodMs, isProvisioningEnabled = true } = options;
  const settings = { syncPeriodMs, isProvisioningEnabled };
  return {
    name: 'persistentvolume-binder-controller',
    account: 'persistent-volume-binder',
    component: 'persistentvolume-controller',
    start(context) {
      const { informers } = context;
      const claims = informers.for(refs.persistentVolumeClaims);
      const pods = informers.for(refs.pods);
      claims.addIndex(unboundByClass, (claim) => (isUnbound(claim) ? [claimClass(claim) ?? ''] : []));
      pods.addIndex(podsByClaim, ({ metadata, spec }) =>
        (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
          const claim = persistentVolumeClaim?.claimName ?? (ephemeral && `${metadata.name}-${name}`);
          return claim ? [`${metadata.namespace}/${claim}`] : [];
        }),
      );
      informers.for(refs.persistentVolumes);
      informers.for(refs.storageClasses);
      return runKeyed(context, {
        name: 'persistentvolume-binder',
        workers: 1,
        watch: (queue) => watch(context, queue),
        reconcile: (key) =>
          key.includes('/') ? syncClaim(key, context, settings) : syncVolume(key, context, settings),
      });
    },
  };
}

function isUnbound({ metadata }: PersistentVolumeClaim): boolean {
  return metadata.annotations?.[bindCompleted] === undefined;
}

function watch({ informers }: ControllerContext, queue: KeyQueue): readonly Disposable[] {
  const claims = informers.for(refs.persistentVolumeClaims);
  const wake = (className: string) => {
    for (const claim of claims.byIndex(unboundByClass, className)) queue.add(keyOf(claim));
  };
  return [
    claims.addHandler(({ type, object }) => {
      queue.add(keyOf(object));
      const { volumeName } = object.spec ?? {};
      if (volumeName && (type === 'deleted' || object.status?.phase !== 'Bound')) queue.add(volumeName);
    }),
    informers.for(refs.persistentVolumes).addHandler(({ type, object }) => {
      const { claimRef } = object.spec ?? {};
      if (claimRef) queue.add(`${claimRef.namespace}/${claimRef.name}`);
      if (type === 'deleted') return;
      queue.add(keyOf(object));
      if (object.status?.phase === 'Available') wake(volumeClass(object));
    }),
    informers.for(refs.storageClasses).addHandler(({ object }) => {
      wake(object.metadata.name ?? '');
      wake('');
    }),
  ];
}

async function syncClaim(
  key: ObjectKey,
  context: ControllerContext,
  { syncPeriodMs, isProvisioningEnabled }: Settings,
): Promise<{ requeueAfterMs: Millis } | undefined> {
  const { informers } = context;
  const claim = informers.for(refs.persistentVolumeClaims).get(key);
  if (!claim) return undefined;
  const volumes = informers.for(refs.persistentVolumes);
  const classes = informers.for(refs.storageClasses);
  const plan = planClaim({
    claim,
    volumes: () => volumes.list(),
    volumeNamed: (name) => volumes.get(name),
    classNamed: (name) => classes.get(name),
    defaultClass: defaultClassOf(classes.list()),
    isProvisioningEnabled,
    waitingPods: () =>
      informers
        .for(refs.pods)
        .byIndex(podsByClaim, key)
        .flatMap(({ metadata, spec }) => (spec?.nodeName ? [] : [metadata.name ?? ''])),
  });
  await perform(context, claim, plan);
  return plan.kind === 'wait' || plan.kind === 'provision' ? { requeueAfterMs: syncPeriodMs } : undefined;
}

async function perform(context: ControllerContext, claim: PersistentVolumeClaim, plan: ClaimPlan): Promise<void> {
  switch (plan.kind) {
    case 'bind':
      return bind(context, plan.volume, claim);
    case 'assign-class':
      await context.client
        .resource(refs.persistentVolumeClaims, claim.metadata.namespace)
        .update({ ...claim, spec: { ...claim.spec, storageClassName: plan.className } });
      return;
    case 'lost':
      // Recorded once, when the phase changes.
      if (claim.status?.phase !== 'Lost') record(context, claim, plan.event);
      return saveClaimStatus(context, claim, withoutVolume(claim, 'Lost'));
    case 'wait':
      if (plan.event) record(context, claim, plan.event);
      return saveClaimStatus(context, claim, withoutVolume(claim, 'Pending'));
    case 'provision': {
      const storageClass = context.informers.for(refs.storageClasses).get(plan.className) ?? plan.className;
      const request = await askForVolume(context, claim, storageClass);
      record(context, claim, request.event);
      return saveClaimStatus(context, request.claim, withoutVolume(request.claim, 'Pending'));
    }
  }
}

/** Size and access modes were those of its volume; fields of other components stay. */
function withoutVolume(
  { status }: PersistentVolumeClaim,
  phase: 'Lost' | 'Pending',
): PersistentVolumeClaim['status'] & object {
  const { accessModes: _modes, capacity: _size, ...rest } = status ?? {};
  return { ...rest, phase };
}

async function syncVolume(name: ObjectKey, context: ControllerContext, settings: Settings): Promise<undefined> {
  const volume = context.informers.for(refs.persistentVolumes).get(name);
  if (!volume) return;
  const claim = await claimOf(volume, context);
  const plan = planVolume(volume, claim);
  switch (plan.kind) {
    case 'phase':
      await savePhase(context, volume, plan.phase);
      return;
    case 'wake-claim':
      if (claim) await syncClaim(keyOf(claim), context, settings);
      return;
    case 'mode-mismatch':
      recordModeMismatch(context, volume, claim);
      return;
    case 'unbind':
      await unbind(context, volume);
      return;
    case 'release':
      await release(context, volume, plan.reclaim);
      return;
  }
}

/** The claim of a volume. One that the cache does not have is read from the server before its volume is given up. */
async function claimOf(
  { spec, status }: PersistentVolume,
  { client, informers }: ControllerContext,
): Promise<PersistentVolumeClaim | undefined> {
  const { namespace, name = '', uid } = spec?.claimRef ?? {};
  if (!uid) return undefined;
  const cached = informers.for(refs.persistentVolumeClaims).get(`${namespace}/${name}`);
  if (cached?.metadata.uid === uid) return cached;
  if (status?.phase === 'Released' || status?.phase === 'Failed') return undefined;
  try {
    const claim = await client.resource(refs.persistentVolumeClaims, namespace).get(name);
    return claim.metadata.uid === uid ? claim : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function release(context: ControllerContext, volume: PersistentVolume, reclaim: Reclaim): Promise<void> {
  const { phase } = volume.status ?? {};
  const released = phase === 'Released' || phase === 'Failed' ? volume : await savePhase(context, volume, 'Released');
  if (reclaim.kind === 'nothing' || phase === 'Failed') return;
  await savePhase(context, released, 'Failed', reclaim.message);
  record(context, released, { type: 'Warning', reason: reclaim.reason, message: reclaim.message });
}

function recordModeMismatch(
  context: ControllerContext,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim | undefined,
): void {
  const volumeName = volume.metadata.name;
  const claimName = claim?.metadata.name;
  const event = (message: string): ClaimEvent => ({ type: 'Warning', reason: 'VolumeMismatch', message });
  record(
    context,
    volume,
    event(
      `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claimName}" due to incompatible volumeMode.`,
    ),
  );
  if (claim)
    record(
      context,
      claim,
      event(
        `Cannot bind PersistentVolume "${volumeName}" to requested PersistentVolumeClaim "${claimName}" due to incompatible volumeMode.`,
      ),
    );
}

function record(
  { recorder }: ControllerContext,
  about: PersistentVolume | PersistentVolumeClaim,
  { type, reason, message }: ClaimEvent,
): void {
  const kind = about.metadata.namespace ? 'PersistentVolumeClaim' : 'PersistentVolume';
  recorder.event({ ...about, apiVersion: 'v1', kind }, type, reason, message);
}
