import {
  computeQosClass,
  isTerminalPhase,
  mirrorServiceAccount,
  type Pod,
  type PodAffinityTerm,
  type PodSpec,
  type PodStatus,
} from '@coracle/api';
import type { FieldSet } from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';
import type { FeatureGates } from '../../features/feature-gates.js';
import type { Strategy } from '../strategy.js';
import { dropDisabledPodFields, dropDisabledPodStatus } from './disabled-pod-fields.js';
import { nullEmptyPodLists } from './pod-template.strategy.js';

export const podStrategy: Strategy<Pod> = {
  hasGeneration: true,
  dropDisabled: dropDisabledPodStatus,

  prepareForCreate(pod, { features }) {
    const spec = (pod.spec ??= { containers: [] });
    mirrorServiceAccount(spec);
    dropDisabledPodFields(spec, features);
    mergeLabelKeys(pod, features);
    pod.status = { phase: 'Pending', qosClass: computeQosClass(pod), ...gatedCondition(spec) };
  },

  prepareForUpdate(pod, previous, { features }) {
    const spec = (pod.spec ??= { containers: [] });
    if (spec !== previous.spec) {
      mirrorServiceAccount(spec);
      dropDisabledPodFields(spec, features, previous.spec);
    }
    setStatus(pod, previous.status);
  },

  canonicalize(pod, previous) {
    if (pod.spec && pod.spec !== previous?.spec) nullEmptyPodLists(pod.spec);
    nullConditionTimes(pod);
  },

  leavesSameSpec: true,

  resetFields: (subresource) => partsOnly[subresource],

  /** A node cannot change owners; fields that it does not report stay unchanged. */
  prepareForStatusUpdate(pod, previous) {
    if (previous.spec) pod.spec = previous.spec;
    if (previous.metadata.ownerReferences) pod.metadata.ownerReferences = previous.metadata.ownerReferences;
    else delete pod.metadata.ownerReferences;
    const status = (pod.status ??= {});
    const { qosClass, observedGeneration } = previous.status ?? {};
    if (!status.qosClass && qosClass) status.qosClass = qosClass;
    if (status.observedGeneration === undefined && observedGeneration !== undefined) {
      status.observedGeneration = observedGeneration;
    }
  },

  /** A pod that is not bound to a node, or has terminated, is deleted at once, in one write. */
  graceSeconds({ spec, status }, requested) {
    if (!spec?.nodeName || isTerminalPhase(status?.phase)) return undefined;
    const seconds = requested ?? spec.terminationGracePeriodSeconds ?? 30;
    return seconds < 0 ? 1 : seconds;
  },

  selectableFields: {
    'spec.nodeName': ({ spec }) => spec?.nodeName ?? '',
    // The alpha name, which upstream still accepts.
    'spec.host': ({ spec }) => spec?.nodeName ?? '',
    'spec.restartPolicy': ({ spec }) => spec?.restartPolicy ?? '',
    'spec.schedulerName': ({ spec }) => spec?.schedulerName ?? '',
    'spec.serviceAccountName': ({ spec }) => spec?.serviceAccountName ?? '',
    'spec.hostNetwork': ({ spec }) => String(spec?.hostNetwork ?? false),
    'status.phase': ({ status }) => status?.phase ?? '',
    'status.podIP': ({ status }) => status?.podIPs?.[0]?.ip ?? status?.podIP ?? '',
    'status.podIPs': () => '',
    'status.nominatedNodeName': ({ status }) => status?.nominatedNodeName ?? '',
  },
  indexedFields: ['spec.nodeName'],
};

/** Subresources for a part of the pod do not change the rest. */
const partsOnly: Readonly<Record<string, FieldSet>> = {
  status: { 'f:metadata': { 'f:ownerReferences': {} }, 'f:spec': {} },
  ephemeralcontainers: { 'f:metadata': {}, 'f:status': {} },
  resize: { 'f:metadata': {}, 'f:status': {} },
};

function setStatus(pod: Pod, status: PodStatus | undefined): void {
  if (status) pod.status = status;
  else delete pod.status;
}

function gatedCondition({ schedulingGates }: PodSpec): Pick<PodStatus, 'conditions'> {
  if (!schedulingGates?.length) return {};
  const message = 'Scheduling is blocked due to non-empty scheduling gates';
  return { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated', message }] };
}

/** In conditions that the server sets itself, absent times are null, as in decoded ones. */
function nullConditionTimes({ status }: Pod): void {
  if (!status?.conditions?.some((one) => one.lastProbeTime === undefined || one.lastTransitionTime === undefined))
    return;
  const noTimes = { lastProbeTime: null, lastTransitionTime: null };
  status.conditions = status.conditions.map((condition) => Object.assign({}, noTimes, condition));
}

/** `matchLabelKeys` select the pod's own label values, which are added to the selector here. */
function mergeLabelKeys({ metadata, spec }: Pod, features: FeatureGates): void {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  if (features.isOn('MatchLabelKeysInPodTopologySpreadSelectorMerge')) {
    for (const constraint of spec?.topologySpreadConstraints ?? []) {
      addKeys(constraint, 'matchLabelKeys', metadata.labels ?? {});
    }
  }
  for (const affinity of [podAffinity, podAntiAffinity]) {
    const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    for (const term of [...required, ...preferred.map(({ podAffinityTerm }) => podAffinityTerm)]) {
      addKeys(term, 'matchLabelKeys', metadata.labels ?? {});
      addKeys(term, 'mismatchLabelKeys', metadata.labels ?? {});
    }
  }
}

type LabelKeysField = 'matchLabelKeys' | 'mismatchLabelKeys';

function addKeys(
  term: Pick<PodAffinityTerm, LabelKeysField | 'labelSelector'> | undefined,
  field: LabelKeysField,
  labels: Readonly<Record<string, string>>,
): void {
  if (!term?.labelSelector) return;
  const operator = field === 'matchLabelKeys' ? 'In' : 'NotIn';
  for (const key of term[field] ?? []) {
    const value = ownValue(labels, key);
    if (value === undefined) continue;
    term.labelSelector.matchExpressions = [
      ...(term.labelSelector.matchExpressions ?? []),
      { key, operator, values: [value] },
    ];
  }
}
