import { parseDuration } from '@coracle/apimachinery';
import type { Clock, Random } from '@coracle/base';
import type { Client, EventRecorder, InformerFactory } from '@coracle/client';
import type { WaitingPods } from '../binding-cycle.js';
import type { PluginArguments } from '../config/scheduler-configuration.js';
import type { BindPlugin, Plugin, PostFilterPlugin } from '../framework/plugin.js';
import type { PodGroups } from '../groups/pod-groups.js';
import { balancedAllocation } from './balanced-allocation.js';
import { type DynamicResourcesDependencies, dynamicResources } from './devices/dynamic-resources.js';
import { ExtendedClasses } from './devices/extended-classes.js';
import { gangScheduling } from './gang/gang-scheduling.js';
import { imageLocality } from './image-locality.js';
import { interPodAffinity } from './inter-pod-affinity.js';
import type { NamespaceLabels } from './namespace-labels.js';
import { nodeAffinity } from './node-affinity.js';
import { nodeDeclaredFeatures } from './node-declared-features.js';
import { nodeName } from './node-name.js';
import { nodePorts } from './node-ports.js';
import { nodeResourcesFit } from './node-resources-fit.js';
import { nodeUnschedulable } from './node-unschedulable.js';
import { type DefaultSelector, podTopologySpread } from './pod-topology-spread.js';
import { prioritySort } from './priority-sort.js';
import { schedulingGates } from './scheduling-gates.js';
import { taintToleration } from './taint-toleration.js';
import { nodeVolumeLimits } from './volumes/node-volume-limits.js';
import { volumeBinding } from './volumes/volume-binding.js';
import { volumeListers } from './volumes/volume-listers.js';
import { volumeRestrictions } from './volumes/volume-restrictions.js';
import { volumeZone } from './volumes/volume-zone.js';

const bindTimeoutSeconds = 600;

/** Dependencies of the plugins of a profile: the API as the scheduler sees it, and state shared with the scheduler. */
export interface PluginHandle {
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly clock: Clock;
  readonly random: Random;
  readonly waiting: WaitingPods;
  readonly groups: PodGroups;
  readonly binder: BindPlugin;
  /** The profile, available once it is created. */
  readonly recorder: () => EventRecorder;
  readonly taintRules: DynamicResourcesDependencies['taintRules'];
  readonly preemption: (args: PluginArguments['DefaultPreemption'] | undefined) => PostFilterPlugin;
  readonly namespaceLabels: NamespaceLabels;
  readonly defaultSelector: DefaultSelector;
}

/** All in-tree plugins by name, each with its arguments. */
export function inTreePlugins(
  {
    client,
    informers,
    clock,
    random,
    waiting,
    groups,
    binder,
    recorder,
    preemption,
    namespaceLabels,
    defaultSelector,
    taintRules,
  }: PluginHandle,
  args: Partial<PluginArguments> = {},
): Map<string, Plugin> {
  const listers = volumeListers(informers);
  const extendedClasses = new ExtendedClasses(informers);
  const timeoutMs = (args.VolumeBinding?.bindTimeoutSeconds ?? bindTimeoutSeconds) * 1000;
  const plugins: readonly Plugin[] = [
    schedulingGates,
    gangScheduling({ groups, waiting }),
    prioritySort,
    nodeUnschedulable,
    nodeName,
    taintToleration,
    nodeAffinity(args.NodeAffinity),
    nodePorts,
    nodeResourcesFit(args.NodeResourcesFit, (resource) => extendedClasses.has(resource)),
    volumeRestrictions(listers),
    nodeVolumeLimits(listers),
    volumeBinding({ client, informers, clock, timeoutMs }),
    volumeZone(listers),
    podTopologySpread(defaultSelector, args.PodTopologySpread),
    interPodAffinity(namespaceLabels, args.InterPodAffinity),
    nodeDeclaredFeatures,
    dynamicResources({
      ...{ client, informers, clock, random, recorder, taintRules, extendedClasses },
      ...deviceTimeouts(args.DynamicResources),
    }),
    preemption(args.DefaultPreemption),
    balancedAllocation(args.NodeResourcesBalancedAllocation),
    imageLocality,
    binder,
  ];
  return new Map(plugins.map((plugin) => [plugin.name, plugin]));
}

function deviceTimeouts({ filterTimeout = '10s', bindingTimeout = '10m' }: PluginArguments['DynamicResources'] = {}) {
  // The arguments have been validated: these are durations.
  return { filterTimeoutMs: parseDuration(filterTimeout) ?? 0, bindingTimeoutMs: parseDuration(bindingTimeout) ?? 0 };
}
