import type { BindPlugin, PostFilterPlugin } from '../framework/plugin.js';
import type { ProfileEntry } from '../framework/profile.js';
import { balancedAllocation } from './balanced-allocation.js';
import { dynamicResources } from './dynamic-resources.js';
import { imageLocality } from './image-locality.js';
import { interPodAffinity, type NamespaceLabels } from './inter-pod-affinity.js';
import { nodeAffinity } from './node-affinity.js';
import { nodeName } from './node-name.js';
import { nodePorts } from './node-ports.js';
import { nodeResourcesFit } from './node-resources-fit.js';
import { nodeUnschedulable } from './node-unschedulable.js';
import { type DefaultSelector, podTopologySpread } from './pod-topology-spread.js';
import { prioritySort } from './priority-sort.js';
import { schedulingGates } from './scheduling-gates.js';
import { taintToleration } from './taint-toleration.js';

export interface DefaultPluginDependencies {
  readonly binder: BindPlugin;
  readonly preemption: PostFilterPlugin;
  readonly namespaceLabels: NamespaceLabels;
  readonly defaultSelector: DefaultSelector;
}

/** The plugins of the default scheduler, in the order in which they are asked, with the weights of their scores. */
export function defaultPlugins({
  binder,
  preemption,
  namespaceLabels,
  defaultSelector,
}: DefaultPluginDependencies): ProfileEntry[] {
  return [
    { plugin: schedulingGates },
    { plugin: prioritySort },
    { plugin: nodeUnschedulable },
    { plugin: nodeName },
    { plugin: taintToleration, weight: 3 },
    { plugin: nodeAffinity, weight: 2 },
    { plugin: nodePorts },
    { plugin: nodeResourcesFit, weight: 1 },
    { plugin: podTopologySpread(defaultSelector), weight: 2 },
    { plugin: interPodAffinity(namespaceLabels), weight: 2 },
    { plugin: dynamicResources },
    { plugin: preemption },
    { plugin: balancedAllocation, weight: 1 },
    { plugin: imageLocality, weight: 1 },
    { plugin: binder },
  ];
}
