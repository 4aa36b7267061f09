import type { Namespace } from '../../generated/types/core-v1.js';

const nameLabel = 'kubernetes.io/metadata.name';

/** Every namespace carries its name as a label, so that selectors can match it. */
export function setNamespaceDefaults({ metadata, status }: Namespace): void {
  if (metadata.name) metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name };
  if (status) status.phase ||= 'Active';
}
