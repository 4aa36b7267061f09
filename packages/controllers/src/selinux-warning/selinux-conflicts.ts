import type { Pod } from '@coracle/api';

/** A conflict of two pods that use a volume on one node at the same time. */
export interface SelinuxConflict {
  readonly reason: 'SELinuxLabelConflict' | 'SELinuxChangePolicyConflict';
  readonly message: string;
}

/** `user:role:type:level`, of the pod or of the first container that has its own; parts that are not set are empty. */
function labelOf({ spec }: Pod): string {
  const own = spec?.containers.find(({ securityContext }) => securityContext?.seLinuxOptions)?.securityContext;
  const options = own?.seLinuxOptions ?? spec?.securityContext?.seLinuxOptions;
  if (!options) return '';
  return [options.user, options.role, options.type, options.level].map((part) => part ?? '').join(':');
}

function policyOf({ spec }: Pod): string {
  return spec?.securityContext?.seLinuxChangePolicy ?? 'MountOption';
}

/** Files that are relabelled recursively get the label of the last pod: then there is no conflict. */
function mountLabelOf(pod: Pod): string {
  return policyOf(pod) === 'Recursive' ? '' : labelOf(pod);
}

/** Warnings about `pod` because `other` uses the same volume. */
export function selinuxConflicts(pod: Pod, other: Pod): SelinuxConflict[] {
  const found: SelinuxConflict[] = [];
  const say = (reason: SelinuxConflict['reason'], property: string, [own, others]: readonly [string, string]) =>
    found.push({ reason, message: messageOf(pod, other, { property, own, others }) });
  const policies = [policyOf(pod), policyOf(other)] as const;
  if (policies[0] !== policies[1]) say('SELinuxChangePolicyConflict', 'SELinuxChangePolicy', policies);
  const labels = [mountLabelOf(pod), mountLabelOf(other)] as const;
  if (differ(...labels)) say('SELinuxLabelConflict', 'SELinuxLabel', labels);
  return found;
}

/** Parts that one of them leaves to the node do not conflict. */
function differ(label: string, other: string): boolean {
  const others = other.split(':');
  return label.split(':').some((part, index) => part !== '' && others[index] && part !== others[index]);
}

/** Pods of other namespaces are not named. */
function messageOf(
  pod: Pod,
  other: Pod,
  { property, own, others }: { readonly property: string; readonly own: string; readonly others: string },
): string {
  const consequence = 'If both pods land on the same node, only one of them may access the volume.';
  return pod.metadata.namespace === other.metadata.namespace
    ? `${property} "${own}" conflicts with pod ${other.metadata.name} that uses the same volume as this pod with ${property} "${others}". ${consequence}`
    : `${property} "${own}" conflicts with another pod that uses the same volume as this pod with a different ${property}. ${consequence}`;
}
