import type { Container, PodSpec } from '@coracle/api';
import type { FeatureGates } from '../../features/feature-gates.js';
import { type DropDisabledFields, dropFieldsOf } from '../disabled-fields.js';

const dropSpecFields = dropFieldsOf({
  ClusterTrustBundleProjection: ['volumes.projected.sources.clusterTrustBundle'],
  EnvFiles: ofContainers('env.valueFrom.fileKeyRef'),
  GenericWorkload: ['schedulingGroup'],
  HostnameOverride: ['hostnameOverride'],
  MatchLabelKeysInPodTopologySpread: ['topologySpreadConstraints.matchLabelKeys'],
  PodCertificateRequest: ['volumes.projected.sources.podCertificate'],
  PodLevelResources: ['resources'],
});

const statusLists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'];

/** Status fields of disabled features, which nodes report. */
export const dropDisabledPodStatus: DropDisabledFields = dropFieldsOf({
  DRAExtendedResource: ['status.extendedResourceClaimStatus'],
  DRANodeAllocatableResources: ['status.nodeAllocatableResourceClaimStatuses'],
  InPlacePodLevelResourcesVerticalScaling: ['status.resources', 'status.allocatedResources'],
  ResourceHealthStatus: statusLists.map((list) => `status.${list}.allocatedResourcesStatus`),
});

/** Drops fields of disabled features. A pod that already has them keeps them. */
export function dropDisabledPodFields(spec: PodSpec | undefined, features: FeatureGates, previous?: PodSpec): void {
  if (!spec) return;
  dropSpecFields(spec, features, previous);
  if (!features.isOn('ContainerRestartRules') && !usesOwnRestarts(previous)) dropOwnRestarts(spec);
  if (!features.isOn('ContainerStopSignals') && !usesStopSignals(previous)) dropStopSignals(spec);
}

function ofContainers(field: string): string[] {
  return ['containers', 'initContainers', 'ephemeralContainers'].map((list) => `${list}.${field}`);
}

/** An init container that always restarts is a sidecar, which requires no feature gate. */
function usesOwnRestarts({ containers = [], initContainers = [] }: Partial<PodSpec> = {}): boolean {
  const isRuled = ({ restartPolicy = 'Always', restartPolicyRules = [] }: Container) =>
    restartPolicy !== 'Always' || restartPolicyRules.length > 0;
  return containers.some(({ restartPolicy }) => restartPolicy !== undefined) || initContainers.some(isRuled);
}

function dropOwnRestarts(spec: PodSpec): void {
  const sidecars = new Set(spec.initContainers?.filter(({ restartPolicy }) => restartPolicy === 'Always'));
  for (const container of allContainers(spec)) {
    delete container.restartPolicyRules;
    if (!sidecars.has(container)) delete container.restartPolicy;
  }
}

function usesStopSignals(spec: PodSpec | undefined): boolean {
  return spec !== undefined && allContainers(spec).some(({ lifecycle }) => lifecycle?.stopSignal !== undefined);
}

/** A lifecycle that had only a stop signal is removed. */
function dropStopSignals(spec: PodSpec): void {
  for (const container of allContainers(spec)) {
    if (container.lifecycle?.stopSignal === undefined) continue;
    const { stopSignal: _, ...rest } = container.lifecycle;
    if (Object.keys(rest).length > 0) container.lifecycle = rest;
    else delete container.lifecycle;
  }
}

function allContainers({ containers = [], initContainers = [], ephemeralContainers = [] }: PodSpec): Container[] {
  return [...containers, ...initContainers, ...ephemeralContainers];
}
