import type { WaitingPods } from '../../binding-cycle.js';
import type { Permission, PermitPlugin, Plugin, PreEnqueuePlugin } from '../../framework/plugin.js';
import { fits, unschedulableAndUnresolvable } from '../../framework/verdict.js';
import { gangSchedulingName, groupOf, type PodGroups, topologyKeyOf } from '../../groups/pod-groups.js';

export interface GangHost {
  readonly groups: PodGroups;
  readonly waiting: WaitingPods;
}

/** Timeout for pods of a gang that wait for the others in Permit. */
const patienceMs = 5 * 60_000;

/**
 * Gang scheduling: the pods of a gang are tried once there are `minCount` of them, and are bound when as many have a
 * node.
 */
export function gangScheduling({ groups, waiting }: GangHost): PreEnqueuePlugin & PermitPlugin {
  return {
    name: gangSchedulingName,
    wakesOn: wakesOn(groups),
    preEnqueue({ pod }) {
      const key = groupOf(pod);
      if (key === undefined) return fits;
      if (!groups.get(key))
        return unschedulableAndUnresolvable(
          `waiting for pod's pod group ${JSON.stringify(pod.spec?.schedulingGroup?.podGroupName)} to appear in scheduling queue`,
        );
      if (groups.members(key).size < groups.minCount(key))
        return unschedulableAndUnresolvable('waiting for minCount pods from a gang to appear in scheduling queue');
      return fits;
    },
    permit(_state, { pod }): Permission {
      const key = groupOf(pod);
      if (key === undefined) return { kind: 'allow' };
      if (groups.nodesOf(key).length < groups.minCount(key)) return { kind: 'wait', timeoutMs: patienceMs };
      for (const uid of groups.members(key)) waiting.allow(uid, gangSchedulingName);
      return { kind: 'allow' };
    },
  };
}

/** For a group with a topology constraint, new nodes may add a domain. */
function wakesOn(groups: PodGroups): NonNullable<Plugin['wakesOn']> {
  const domainOf = (pod: Parameters<typeof groupOf>[0], labels: Readonly<Record<string, string>> = {}) => {
    const key = groupOf(pod);
    return labels[(key && topologyKeyOf(groups.get(key))) ?? ''];
  };
  return [
    {
      event: 'group-changed',
      helps: (event, { pod }) => event.kind === 'group-changed' && event.group === groupOf(pod),
    },
    {
      event: 'node-added',
      helps: (event, { pod }) => event.kind === 'node-added' && domainOf(pod, event.node.metadata.labels) !== undefined,
    },
    {
      event: 'node-updated',
      helps: (event, { pod }) =>
        event.kind === 'node-updated' &&
        domainOf(pod, event.node.metadata.labels) !== domainOf(pod, event.previous.metadata.labels),
    },
  ];
}
