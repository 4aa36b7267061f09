import type { Pod } from '@coracle/api';

/**
 * Why a volume cannot be attached for a pod: other nodes have it for these pods. Pods of other namespaces are counted
 * but not named, because the user may not have access to them.
 */
export function multiAttachMessage(volume: string, pod: Pod, others: readonly Pod[]): string {
  return `Multi-Attach error for volume ${JSON.stringify(volume)} ${whoHasIt(pod, others)}`;
}

function whoHasIt({ metadata: { namespace } }: Pod, others: readonly Pod[]): string {
  if (others.length === 0) return "Volume is already exclusively attached to one node and can't be attached to another";
  const names = others.filter(({ metadata }) => metadata.namespace === namespace).map(({ metadata }) => metadata.name);
  const foreign = others.length - names.length;
  const counted = `${foreign} pod(s) in different namespaces`;
  if (names.length === 0) return `Volume is already used by ${counted}`;
  return `Volume is already used by pod(s) ${names.join(', ')}${foreign > 0 ? ` and ${counted}` : ''}`;
}
