import type { ReplicationController } from '../../generated/types/core-v1.js';
import { setPodTemplateSpecDefaults } from './pod-spec.defaults.js';

/** Selector and labels are the template's where there are none. */
export function setReplicationControllerDefaults(controller: ReplicationController): void {
  const spec = (controller.spec ??= {});
  const labels = spec.template?.metadata?.labels;
  if (labels && isEmpty(spec.selector)) spec.selector = { ...labels };
  if (labels && isEmpty(controller.metadata.labels)) controller.metadata.labels = { ...labels };
  spec.replicas ??= 1;
  if (spec.template) setPodTemplateSpecDefaults(spec.template);
}

function isEmpty(map: Readonly<Record<string, string>> | undefined): boolean {
  return Object.keys(map ?? {}).length === 0;
}
