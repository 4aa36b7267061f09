import {
  claimClass,
  type NodeSelector,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type storagev1,
} from '@coracle/api';
import { planVolumes } from '../plugins/volumes/plan-volumes.js';
import { type ClaimName, isBound } from '../plugins/volumes/pod-claims.js';
import type { VolumeListers } from '../plugins/volumes/volume-listers.js';
import { type Change, type Trial, withVolumes } from './trial.js';

const noProvisioner = 'kubernetes.io/no-provisioner';

/** Changes that would give a claim of the pod a volume that the node can reach; `undefined` if it can have one. */
export function claimChange(
  trial: Trial,
  { name, isEphemeral }: ClaimName,
  listers: VolumeListers,
): Change | undefined {
  const { namespace } = trial.pod;
  const claim = listers.claim(`${namespace}/${name}`);
  if (!claim) {
    const text = isEphemeral
      ? `wait until the claim ${name} is created`
      : `create the claim ${name}, and let it be bound`;
    return bind(text, { metadata: { name, namespace } });
  }
  if (claim.metadata.deletionTimestamp) return bind(`create the claim ${name} anew once it is deleted`, claim);
  if (claim.status?.phase === 'Lost')
    return bind(`create the volume ${claim.spec?.volumeName}, which the claim ${name} has lost`, claim);
  if (isBound(claim)) return reach(trial, claim, listers);
  const storageClass = listers.storageClass(claimClass(claim) ?? '');
  if (storageClass?.volumeBindingMode === 'WaitForFirstConsumer')
    return provide(trial, { claim, storageClass, listers });
  return bind(howToBind(claim, storageClass), claim);
}

/** A claim that must be bound before the pod is placed. */
function howToBind(claim: PersistentVolumeClaim, storageClass: storagev1.StorageClass | undefined): string {
  const name = claim.metadata.name ?? '';
  const className = claimClass(claim);
  if (claim.spec?.volumeName) return `create the volume ${claim.spec.volumeName}, which the claim ${name} names`;
  if (className && !storageClass)
    return `create the storage class ${className}, which the claim ${name} names, or a volume ${describe(claim)}`;
  const provisioner = storageClass?.provisioner;
  if (provisioner && provisioner !== noProvisioner)
    return `let ${provisioner} provision the claim ${name}: it is of the class ${className}, and not bound`;
  return `bind the claim ${name}: create a volume ${describe(claim)}`;
}

/** `of 1Gi with ReadWriteOnce of the class fast` */
function describe(claim: PersistentVolumeClaim): string {
  const { accessModes = [], resources } = claim.spec ?? {};
  const className = claimClass(claim);
  const kind = className ? `of the class ${className}` : 'without a class';
  return `of ${resources?.requests?.['storage'] ?? '0'} with ${accessModes.join(', ')} ${kind}`;
}

/** Simulates that the claim has a volume that all nodes reach. */
function bind(text: string, claim: PersistentVolumeClaim): Change {
  const { deletionTimestamp: _deleted, ...metadata } = claim.metadata;
  const volumeName = `volume-of-${metadata.name}`;
  const bound: PersistentVolumeClaim = {
    metadata: { ...metadata, annotations: { ...metadata.annotations, 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: { ...claim.spec, volumeName },
    status: { phase: 'Bound' },
  };
  const volume: PersistentVolume = { metadata: { name: volumeName }, spec: {} };
  return { text, cost: 3, apply: (trial) => withVolumes(trial, { claims: [bound], volumes: [volume] }) };
}

/** A claim whose volume the node cannot reach. */
function reach({ node }: Trial, claim: PersistentVolumeClaim, listers: VolumeListers): Change | undefined {
  const { name } = claim.metadata;
  const volume = listers.volume(claim.spec?.volumeName ?? '');
  if (!volume) return bind(`create the volume ${claim.spec?.volumeName}, which the claim ${name} is bound to`, claim);
  const plan = planVolumes({
    claims: { bound: [claim], delayed: [] },
    node: node.node,
    listers,
    assumedFor: () => undefined,
  });
  const required = volume.spec?.nodeAffinity?.required;
  if (plan.kind === 'plan' || !required) return undefined;
  const { nodeAffinity: _affinity, ...spec } = volume.spec ?? {};
  return {
    text: `let the node ${node.name} reach the volume ${volume.metadata.name} of the claim ${name}: its node affinity requires ${affinityText(required)}`,
    cost: 4,
    apply: (trial) => withVolumes(trial, { volumes: [{ ...volume, spec }] }),
  };
}

/** `kubernetes.io/hostname in (a, b)` */
function affinityText({ nodeSelectorTerms }: NodeSelector): string {
  const terms = nodeSelectorTerms.map(({ matchExpressions = [], matchFields = [] }) =>
    [...matchExpressions, ...matchFields]
      .map(({ key, operator, values }) => `${key} ${operator}${values ? ` (${values.join(', ')})` : ''}`)
      .join(' and '),
  );
  return terms.join(' or ');
}

/** A claim with delayed binding for which no volume is available on this node. */
function provide(
  { node }: Trial,
  {
    claim,
    storageClass,
    listers,
  }: {
    readonly claim: PersistentVolumeClaim;
    readonly storageClass: storagev1.StorageClass;
    readonly listers: VolumeListers;
  },
): Change | undefined {
  const claims = { bound: [], delayed: [claim] };
  const plan = planVolumes({ claims, node: node.node, listers, assumedFor: () => undefined });
  if (plan.kind === 'plan') return undefined;
  const { name } = claim.metadata;
  const { accessModes = [], resources, volumeMode } = claim.spec ?? {};
  const { allowedTopologies, ...anywhere } = storageClass;
  if (allowedTopologies?.length && storageClass.provisioner !== noProvisioner)
    return {
      text: `allow the topology of the node ${node.name} in the storage class ${storageClass.metadata.name} of the claim ${name}`,
      cost: 3,
      apply: (trial) => withVolumes(trial, { classes: [anywhere] }),
    };
  const volume: PersistentVolume = {
    metadata: { name: `volume-for-${name}` },
    spec: {
      accessModes,
      capacity: { storage: resources?.requests?.['storage'] ?? '0' },
      storageClassName: claimClass(claim) ?? '',
      volumeMode: volumeMode ?? 'Filesystem',
    },
    status: { phase: 'Available' },
  };
  const reasons = plan.reasons.join(', ');
  return {
    text: `create a volume ${describe(claim)} that the node ${node.name} reaches, for the claim ${name} (${reasons})`,
    cost: 3,
    apply: (trial) => withVolumes(trial, { volumes: [volume] }),
  };
}
