import type { Node } from '../../generated/types/core-v1.js';

/** The one pod CIDR and the first of the list agree: where both are given and differ, the one wins. */
export function setNodeDefaults(node: Node): void {
  const { spec, status } = node;
  const first = spec?.podCIDRs?.[0];
  if (spec?.podCIDR && spec.podCIDR !== first) spec.podCIDRs = [spec.podCIDR];
  else if (spec && first !== undefined) spec.podCIDR = first;
  if (status?.capacity && !status.allocatable) status.allocatable = { ...status.capacity };
}
