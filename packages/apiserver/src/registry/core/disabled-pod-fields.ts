import type { PodSpec } from '@coracle/api';
import type { FeatureGates, Gate } from '../../features/feature-gates.js';

/** The fields of a pod's spec that belong to a feature. Lists on the way are passed through. */
const fieldsOfFeatures: Partial<Record<Gate, readonly string[]>> = {
  ClusterTrustBundleProjection: ['volumes.projected.sources.clusterTrustBundle'],
  ContainerRestartRules: ofContainers('restartPolicyRules'),
  ContainerStopSignals: ofContainers('lifecycle.stopSignal'),
  EnvFiles: ofContainers('env.valueFrom.fileKeyRef'),
  GenericWorkload: ['schedulingGroup'],
  HostnameOverride: ['hostnameOverride'],
  MatchLabelKeysInPodTopologySpread: ['topologySpreadConstraints.matchLabelKeys'],
  PodCertificateRequest: ['volumes.projected.sources.podCertificate'],
  PodLevelResources: ['resources'],
};

/** Drops fields of features that are off. A pod that already has them keeps them. */
export function dropDisabledPodFields(spec: PodSpec | undefined, features: FeatureGates, previous?: PodSpec): void {
  if (!spec) return;
  for (const [gate, fields] of Object.entries(fieldsOfFeatures)) {
    if (features.isOn(gate as Gate)) continue;
    if (fields.some((field) => holders(previous, field).some(([holder, name]) => holder[name] !== undefined))) continue;
    for (const field of fields) for (const [holder, name] of holders(spec, field)) delete holder[name];
  }
}

function ofContainers(field: string): string[] {
  return ['containers', 'initContainers', 'ephemeralContainers'].map((list) => `${list}.${field}`);
}

type Holder = Record<string, unknown>;

/** The objects that hold a field, or would, each with the field's own name. */
function holders(spec: object | undefined, field: string): (readonly [Holder, string])[] {
  const path = field.split('.');
  const name = path.pop() as string;
  let found: unknown[] = [spec];
  for (const step of path) found = found.flatMap((one) => (isObject(one) ? one[step] : undefined));
  return found.filter(isObject).map((holder) => [holder, name] as const);
}

function isObject(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null;
}
