import { refs, type schedulingv1alpha2 } from '@coracle/api';
import type { ObjectKey } from '@coracle/apimachinery';
import type { InformerFactory, SharedInformer } from '@coracle/client';
import type { WaitingPods } from '../../binding-cycle.js';
import type {
  Permission,
  PermitPlugin,
  Plugin,
  PostBindPlugin,
  PostFilterPlugin,
  PreEnqueuePlugin,
  ReservePlugin,
} from '../../framework/plugin.js';
import { fits, unschedulableAndUnresolvable } from '../../framework/verdict.js';
import type { ClusterEvent } from '../../queue/cluster-event.js';
import { GangMembers, groupOf } from './gang-members.js';

export interface GangHost {
  readonly informers: InformerFactory;
  readonly waiting: WaitingPods;
  /** Tells the queue of something that may help. */
  readonly wake: (event: ClusterEvent) => void;
}

/** How long pods of a gang keep their places while they wait for the others. */
const patienceMs = 5 * 60_000;
const name = 'GangScheduling';
const hopeless = 'other pods of the gang fit on no node';

type GangPlugin = PreEnqueuePlugin & ReservePlugin & PermitPlugin & PostFilterPlugin & PostBindPlugin;

const wakesOn: NonNullable<Plugin['wakesOn']> = [
  { event: 'group-changed', helps: (event, { pod }) => event.kind === 'group-changed' && event.group === groupOf(pod) },
  { event: 'node-added' },
  { event: 'node-updated' },
  { event: 'pod-deleted' },
];

/**
 * All or nothing: the pods of a gang are tried once there are as many as its group requests, keep the places that are
 * found for them, and are bound when so many have one. When one of them fits nowhere, the others give their places
 * back.
 */
export function gangScheduling({ informers, waiting, wake }: GangHost): GangPlugin {
  const members = new GangMembers(informers, (group) => wake({ kind: 'group-changed', group }));
  let groups: SharedInformer<schedulingv1alpha2.PodGroup> | undefined;
  const groupNamed = (key: ObjectKey) => {
    // The kind is served only on demand, so it is not watched before a pod names a group.
    if (!groups) {
      groups = informers.for(refs.podGroups);
      groups.addHandler(({ object: { metadata } }) =>
        wake({ kind: 'group-changed', group: `${metadata.namespace}/${metadata.name}` }),
      );
    }
    return groups.get(key);
  };
  const minCountOf = (key: ObjectKey) => groupNamed(key)?.spec.schedulingPolicy.gang?.minCount ?? 0;
  return {
    name,
    wakesOn,
    preEnqueue({ pod }) {
      const group = groupOf(pod);
      if (group === undefined) return fits;
      if (!groupNamed(group))
        return unschedulableAndUnresolvable(`waiting for the pod group ${JSON.stringify(group)} to appear`);
      if (members.count(group) < minCountOf(group))
        return unschedulableAndUnresolvable('waiting for minCount pods from a gang to appear in scheduling queue');
      return fits;
    },
    reserve(_state, { pod, uid }) {
      const group = groupOf(pod);
      if (group === undefined) return fits;
      // Its place counts once the pods that were taken together with it have been tried: one of them may fit nowhere.
      return Promise.resolve().then(() => {
        // The others, which may have given up on it, can go on.
        if (members.reserve(group, uid)) wake({ kind: 'group-changed', group });
        return fits;
      });
    },
    unreserve(_state, { pod, uid }) {
      const group = groupOf(pod);
      if (group !== undefined) members.unreserve(group, uid);
    },
    permit(_state, { pod }): Permission {
      const group = groupOf(pod);
      if (group === undefined) return { kind: 'allow' };
      if (members.placed(group) < minCountOf(group)) {
        if (members.isHopeless(group, minCountOf(group))) return { kind: 'reject', reason: hopeless };
        return { kind: 'wait', timeoutMs: patienceMs };
      }
      for (const uid of members.reserved(group)) waiting.allow(uid, name);
      return { kind: 'allow' };
    },
    postFilter(_state, { pod, uid }) {
      const group = groupOf(pod);
      if (group === undefined) return { message: '' };
      members.refuse(group, uid);
      if (members.isHopeless(group, minCountOf(group)))
        for (const other of members.reserved(group)) waiting.reject(other, hopeless);
      return { message: '' };
    },
    postBind(_state, { pod, uid }) {
      const group = groupOf(pod);
      if (group !== undefined) members.unreserve(group, uid);
    },
  };
}
