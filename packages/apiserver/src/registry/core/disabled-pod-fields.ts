import type { Container, PodSpec } from '@coracle/api';

/** Drops fields of features that are off in this release. A pod that already has them keeps them. */
export function dropDisabledPodFields(spec: PodSpec | undefined, previous?: PodSpec): void {
  if (!spec) return;
  if (!previous?.schedulingGroup) delete spec.schedulingGroup;
  if (!containersOf(previous).some((one) => one.lifecycle?.stopSignal)) dropStopSignals(spec);
  if (!projectionsOf(previous).some((one) => one.clusterTrustBundle)) dropProjections(spec, 'clusterTrustBundle');
  if (!projectionsOf(previous).some((one) => one.podCertificate)) dropProjections(spec, 'podCertificate');
}

function containersOf(spec: PodSpec | undefined): Container[] {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? []), ...(spec?.ephemeralContainers ?? [])];
}

function dropStopSignals(spec: PodSpec): void {
  for (const { lifecycle } of containersOf(spec)) delete lifecycle?.stopSignal;
}

function projectionsOf(spec: PodSpec | undefined) {
  return (spec?.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
}

function dropProjections(spec: PodSpec, field: 'clusterTrustBundle' | 'podCertificate'): void {
  for (const source of projectionsOf(spec)) delete source[field];
}
