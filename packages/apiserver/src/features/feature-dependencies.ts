import { decidesSomething, FeatureGates } from './feature-gates.js';
import { features } from './feature-table.js';

/** Gate → the gates that must be enabled with it, except those that cannot be disabled. */
const needs: Readonly<Record<string, readonly string[]>> = {
  ClusterTrustBundleProjection: ['ClusterTrustBundle'],
  DRADeviceBindingConditions: ['DRAResourceClaimDeviceStatus'],
  DRADeviceTaintRules: ['DRADeviceTaints'],
  DRAResourceClaimGranularStatusAuthorization: ['DRAResourceClaimDeviceStatus'],
  DRAWorkloadResourceClaims: ['GenericWorkload'],
  ExtendWebSocketsToKubelet: ['NodeDeclaredFeatures'],
  GangScheduling: ['GenericWorkload'],
  GracefulNodeShutdownBasedOnPodPriority: ['GracefulNodeShutdown'],
  InPlacePodLevelResourcesVerticalScaling: ['NodeDeclaredFeatures', 'PodLevelResources'],
  InPlacePodVerticalScalingInitContainers: ['NodeDeclaredFeatures'],
  MatchLabelKeysInPodTopologySpreadSelectorMerge: ['MatchLabelKeysInPodTopologySpread'],
  PodLevelResourceManagers: ['PodLevelResources'],
  ResourceHealthStatusMessage: ['ResourceHealthStatus'],
  RestartAllContainersOnContainerExits: ['ContainerRestartRules', 'NodeDeclaredFeatures'],
  StaleControllerConsistencyDaemonSet: ['AtomicFIFO'],
  StaleControllerConsistencyJob: ['AtomicFIFO'],
  StaleControllerConsistencyReplicaSet: ['AtomicFIFO'],
  StaleControllerConsistencyStatefulSet: ['AtomicFIFO'],
  StorageVersionAPI: ['APIServerIdentity'],
  TopologyAwareWorkloadScheduling: ['GenericWorkload'],
  UnknownVersionInteroperabilityProxy: ['APIServerIdentity'],
  UserNamespacesHostNetworkSupport: ['NodeDeclaredFeatures'],
  WindowsGracefulNodeShutdown: ['GracefulNodeShutdown'],
  WorkloadAwarePreemption: ['GangScheduling'],
  WorkloadWithJob: ['GenericWorkload'],
};

/** Why these gates cannot be set together, with upstream's message; `undefined` if they can. */
export function gateConflict(set: Readonly<Record<string, boolean>>): string | undefined {
  const on = new Set<string>();
  for (const { name, isOn } of new FeatureGates(set).all()) if (isOn) on.add(name);
  const problems = Object.entries(needs).flatMap(([name, needed]) => {
    const missing = on.has(name) ? needed.filter((one) => !on.has(one)) : [];
    if (missing.length === 0) return [];
    return [`${name} is enabled, but depends on features that are disabled: [${missing.join(' ')}]`];
  });
  return problems.length > 1 ? `[${problems.join(', ')}]` : problems[0];
}

/**
 * Whether setting a gate to this value requests an unsupported feature. A gate that others depend on disables these
 * too.
 */
export function hasNoEffect(name: string, value: boolean): boolean {
  if (features.get(name)?.default === value || decidesSomething(name)) return false;
  return !Object.entries(needs).some(([gate, needed]) => needed.includes(name) && decidesSomething(gate));
}
