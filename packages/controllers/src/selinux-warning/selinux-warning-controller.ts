import { isTerminalPod, type Pod, refs } from '@coracle/api';
import { keyOf, type ObjectKey } from '@coracle/apimachinery';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { claimsOfPod } from '../pvc-protection/claims-of-pod.js';
import { selinuxConflicts } from './selinux-conflicts.js';

const byClaim = 'claim';

/** Warns about pods that share a volume with different SELinux labels, where drivers mount with a label. */
export const selinuxWarningController: Controller = {
  name: 'selinux-warning-controller',
  isOffByDefault: true,
  start(context) {
    const { informers } = context;
    const pods = informers.for(refs.pods);
    const claims = informers.for(refs.persistentVolumeClaims);
    informers.for(refs.persistentVolumes);
    informers.for(refs.csiDrivers);
    pods.addIndex(byClaim, claimKeys);
    /** Pod → the messages of its events. */
    const reported = new Map<ObjectKey, Set<string>>();
    return runKeyed(context, {
      name: 'selinux_warning',
      watch: (queue) => [
        pods.addHandler(({ type, object }) => {
          if (type === 'deleted') reported.delete(keyOf(object));
          else if (type === 'added' && claimKeys(object).length > 0) queue.add(keyOf(object));
        }),
        claims.addHandler(({ type, object }) => {
          if (type !== 'deleted' && object.spec?.volumeName)
            for (const pod of pods.byIndex(byClaim, keyOf(object))) queue.add(keyOf(pod));
        }),
      ],
      reconcile: async (key) => {
        const pod = pods.get(key);
        if (pod) warn(context, pod, reported);
      },
    });
  },
};

function claimKeys(pod: Pod): ObjectKey[] {
  return claimsOfPod(pod).map((name): ObjectKey => `${pod.metadata.namespace}/${name}`);
}

function warn(context: ControllerContext, pod: Pod, reported: Map<ObjectKey, Set<string>>): void {
  if (isTerminalPod(pod)) return;
  for (const other of sharing(context, pod)) {
    say(context, { pod, other, reported });
    say(context, { pod: other, other: pod, reported });
  }
}

/** The pods that use a volume of this one, whose driver mounts it with a label. */
function sharing({ informers }: ControllerContext, pod: Pod): Pod[] {
  const pods = informers.for(refs.pods);
  const volumes = informers.for(refs.persistentVolumes);
  const drivers = informers.for(refs.csiDrivers);
  return claimKeys(pod).flatMap((key) => {
    const name = informers.for(refs.persistentVolumeClaims).get(key)?.spec?.volumeName;
    const driver = volumes.get(name ?? '')?.spec?.csi?.driver;
    if (!drivers.get(driver ?? '')?.spec.seLinuxMount) return [];
    return pods.byIndex(byClaim, key).filter((one) => one.metadata.uid !== pod.metadata.uid && !isTerminalPod(one));
  });
}

function say(
  { recorder }: ControllerContext,
  { pod, other, reported }: { readonly pod: Pod; readonly other: Pod; readonly reported: Map<ObjectKey, Set<string>> },
): void {
  const key = keyOf(pod);
  const before = reported.get(key) ?? new Set<string>();
  reported.set(key, before);
  for (const { reason, message } of selinuxConflicts(pod, other)) {
    if (before.has(message)) continue;
    before.add(message);
    recorder.event({ ...pod, apiVersion: 'v1', kind: 'Pod' }, 'Normal', reason, message);
  }
}
