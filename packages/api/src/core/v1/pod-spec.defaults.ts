import type { PodSpec, PodTemplateSpec } from '../../generated/types/core-v1.js';
import { setContainerDefaults } from './container.defaults.js';
import { setResourceListDefaults, setResourceRequirementsDefaults } from './resource-list.defaults.js';
import { setVolumeDefaults } from './volume.defaults.js';

/** Defaults of every pod spec, of a pod or a template. */
export function setPodSpecDefaults(spec: PodSpec): void {
  // A pod without containers is refused; until then it has none rather than `null`.
  spec.containers ??= [];
  spec.dnsPolicy ||= 'ClusterFirst';
  spec.restartPolicy ||= 'Always';
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= 'default-scheduler';
  mirrorServiceAccount(spec);
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume);
  for (const container of spec.initContainers ?? []) setContainerDefaults(container);
  for (const container of spec.containers ?? []) setContainerDefaults(container);
  for (const container of spec.ephemeralContainers ?? []) setContainerDefaults(container);
  setResourceListDefaults(spec.overhead);
  setResourceRequirementsDefaults(spec.resources);
}

/** `serviceAccount` is an old name of `serviceAccountName`; both are always sent, with the newer one deciding. */
export function mirrorServiceAccount(spec: PodSpec): void {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (!name) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

export function setPodTemplateSpecDefaults(template: PodTemplateSpec): void {
  setPodSpecDefaults((template.spec ??= { containers: [] }));
}
