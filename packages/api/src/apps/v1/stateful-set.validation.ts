import {
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  isDns1123Label,
  type LabelSelector,
  requiredField,
} from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import { checkPersistentVolumeClaimSpec } from '../../core/v1/persistent-volume-claim.validation.js';
import { validatePodTemplateSpec } from '../../core/v1/pod-template.validation.js';
import {
  validateAlwaysRestarted,
  validateNoDeadline,
  validateSelected,
} from '../../core/v1/replication-controller.validation.js';
import type { StatefulSet, StatefulSetSpec, StatefulSetUpdateStrategy } from '../../generated/types/apps-v1.js';
import type { PersistentVolumeClaim, PodTemplateSpec } from '../../generated/types/core-v1.js';
import { checkNonNegative, checkSupported, checkValue } from '../../validation/field-checks.js';
import { checkAtMost100Percent, checkIntOrPercent, intOrPercentNumber } from '../../validation/int-or-percent.js';
import { toInternalForm } from '../../validation/internal-form.js';
import { checkCollisionCount, checkCounts, checkWorkloadSelector } from './workload.validation.js';

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');

export function validateStatefulSet({ spec = {} as StatefulSetSpec }: StatefulSet): FieldError[] {
  const claims = spec.volumeClaimTemplates ?? [];
  const claimsPath = specPath.child('volumeClaimTemplates');
  return [
    ...validateSpec(spec, spec.serviceName),
    ...claims.flatMap((claim, index) =>
      checkPersistentVolumeClaimSpec(claimsPath.index(index).child('spec'), claim.spec ?? {}),
    ),
  ];
}

/** `serviceName`: of a new set. That of an old one does not change, and may be from when it was not checked. */
function validateSpec(spec: StatefulSetSpec, serviceName?: string): FieldError[] {
  const templatePath = specPath.child('template');
  const template = spec.template ?? {};
  const checked = checkWorkloadSelector(specPath.child('selector'), spec.selector, {
    kind: 'statefulset',
    unusable: '',
  });
  return [
    ...validateManagementPolicy(specPath.child('podManagementPolicy'), spec.podManagementPolicy),
    ...validateUpdateStrategy(specPath.child('updateStrategy'), spec.updateStrategy ?? {}),
    ...validateRetention(spec),
    ...checkNonNegative(specPath.child('replicas'), spec.replicas),
    ...checkNonNegative(specPath.child('minReadySeconds'), spec.minReadySeconds),
    ...checkNonNegative(specPath.child('ordinals.start'), spec.ordinals?.start),
    ...(serviceName ? checkValue(specPath.child('serviceName'), serviceName, isDns1123Label) : []),
    ...checkNonNegative(specPath.child('revisionHistoryLimit'), spec.revisionHistoryLimit),
    ...checked.errors,
    ...(checked.selector ? validateTemplate(spec, checked.selector) : []),
    ...validateAlwaysRestarted(templatePath, template),
    ...validateNoDeadline(templatePath, template, 'StatefulSet'),
  ];
}

function validateManagementPolicy(path: FieldPath, policy: string | undefined): FieldError[] {
  if (!policy) return [requiredField(path)];
  if (policy === 'OrderedReady' || policy === 'Parallel') return [];
  return [invalidField(path, policy, "must be 'OrderedReady' or 'Parallel'")];
}

const strategyTypes = {
  StatefulSetUpdateStrategy: 'Type:s RollingUpdate:*RollingUpdate',
  RollingUpdate: 'Partition:n MaxUnavailable',
};

function validateUpdateStrategy(path: FieldPath, strategy: StatefulSetUpdateStrategy): FieldError[] {
  const { type, rollingUpdate } = strategy;
  const rollingPath = path.child('rollingUpdate');
  if (!type) return [requiredField(path)];
  if (type === 'OnDelete') {
    if (!rollingUpdate) return [];
    const shown = toInternalForm(rollingUpdate, 'RollingUpdate', strategyTypes);
    return [invalidField(rollingPath, shown, "only allowed for updateStrategy 'RollingUpdate'")];
  }
  if (type !== 'RollingUpdate') {
    const shown = toInternalForm(strategy, 'StatefulSetUpdateStrategy', strategyTypes);
    return [invalidField(path, shown, "must be 'RollingUpdate' or 'OnDelete'")];
  }
  const { partition, maxUnavailable } = rollingUpdate ?? {};
  const errors = checkNonNegative(rollingPath.child('partition'), partition);
  if (maxUnavailable === undefined) return errors;
  const unavailablePath = rollingPath.child('maxUnavailable');
  errors.push(...checkIntOrPercent(unavailablePath, maxUnavailable));
  if (intOrPercentNumber(maxUnavailable) === 0)
    errors.push(invalidField(unavailablePath, maxUnavailable, 'cannot be 0'));
  return [...errors, ...checkAtMost100Percent(unavailablePath, maxUnavailable)];
}

function validateRetention({ persistentVolumeClaimRetentionPolicy: policy }: StatefulSetSpec): FieldError[] {
  if (!policy) return [];
  const path = specPath.child('persistentVolumeClaimRetentionPolicy');
  return (['whenDeleted', 'whenScaled'] as const).flatMap((field) =>
    checkSupported(path.child(field), policy[field] ?? '', ['Retain', 'Delete']),
  );
}

/** Pods get a volume for each claim, under the claim's name, in place of one that the template may have there. */
function validateTemplate(spec: StatefulSetSpec, selector: LabelSelector): FieldError[] {
  const path = specPath.child('template');
  const template = withClaimVolumes(spec.template ?? {}, spec.volumeClaimTemplates ?? []);
  return [
    ...(selector.isEmpty ? [] : validateSelected(path, template, selector)),
    ...validatePodTemplateSpec(path, template),
  ];
}

function withClaimVolumes(template: PodTemplateSpec, claims: readonly PersistentVolumeClaim[]): PodTemplateSpec {
  if (claims.length === 0) return template;
  const names = claims.map(({ metadata }) => metadata?.name ?? '');
  const others = (template.spec?.volumes ?? []).filter(({ name }) => !names.includes(name));
  const volumes = [...names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })), ...others];
  return { ...template, spec: { ...(template.spec ?? { containers: [] }), volumes } };
}

const updatableFields: readonly (keyof StatefulSetSpec)[] = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];
const updateRefused =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

/** Claims are not looked at again: they may not change, and old ones may be wrong. */
export function validateStatefulSetUpdate(statefulSet: StatefulSet, previous: StatefulSet): FieldError[] {
  const spec = statefulSet.spec ?? ({} as StatefulSetSpec);
  const errors = validateSpec(spec);
  if (deepEqual(fixedFields(spec), fixedFields(previous.spec ?? ({} as StatefulSetSpec)))) return errors;
  return [...errors, forbiddenField(specPath, updateRefused)];
}

function fixedFields(spec: StatefulSetSpec): unknown {
  return Object.fromEntries(
    Object.entries(spec).filter(([field]) => !updatableFields.includes(field as keyof StatefulSetSpec)),
  );
}

const ofReplicas = 'cannot be greater than status.replicas';

export function validateStatefulSetStatusUpdate({ status }: StatefulSet, previous: StatefulSet): FieldError[] {
  const { replicas, readyReplicas, currentReplicas, updatedReplicas, availableReplicas } = status ?? {};
  const { observedGeneration, collisionCount } = status ?? {};
  const counts = {
    replicas,
    readyReplicas,
    currentReplicas,
    updatedReplicas,
    availableReplicas,
    observedGeneration,
    collisionCount,
  };
  return [
    ...checkCounts(statusPath, counts, [
      ['readyReplicas', 'replicas', ofReplicas],
      ['currentReplicas', 'replicas', ofReplicas],
      ['updatedReplicas', 'replicas', ofReplicas],
      ['availableReplicas', 'replicas', ofReplicas],
      ['availableReplicas', 'readyReplicas', 'cannot be greater than status.readyReplicas'],
    ]),
    ...checkCollisionCount(statusPath, collisionCount, previous.status?.collisionCount),
  ];
}
