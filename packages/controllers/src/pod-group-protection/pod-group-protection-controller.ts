import { isTerminalPod, type Pod, refs, type schedulingv1alpha2 } from '@coracle/api';
import { keyOf, type ObjectKey } from '@coracle/apimachinery';
import { runProtection } from '../run-protection.js';
import { whenServed } from '../when-served.js';

const groupIndex = 'podGroup';

/** Removes the finalizer of a PodGroup when all pods that refer to it are deleted or terminated. */
export const podGroupProtectionController = whenServed<schedulingv1alpha2.PodGroup>({
  name: 'podgroup-protection-controller',
  versions: [refs.podGroups],
  start(context, ref) {
    const pods = context.informers.for(refs.pods);
    pods.addIndex(groupIndex, groupsOf);
    return runProtection(context, {
      name: 'podgroupprotection',
      ref,
      finalizer: 'scheduling.k8s.io/podgroup-protection',
      watchUsers: (lookAt) => [
        pods.addHandler(({ type, object }) => {
          if (type === 'deleted' || isTerminalPod(object)) for (const key of groupsOf(object)) lookAt(key);
        }),
      ],
      isUsed: (group) => pods.byIndex(groupIndex, keyOf(group)).some((pod) => !isTerminalPod(pod)),
    });
  },
});

function groupsOf({ metadata, spec }: Pod): ObjectKey[] {
  const name = spec?.schedulingGroup?.podGroupName;
  return name ? [`${metadata.namespace}/${name}`] : [];
}
