import { type Node, refs } from '@coracle/api';
import { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import { type Resource, resourceFromList } from '../cache/resource.js';
import type { PluginArguments } from '../config/scheduler-configuration.js';
import type { FilterPlugin, ScorePlugin } from '../framework/plugin.js';
import { fits, type Verdict } from '../framework/verdict.js';
import { amountOf, resourceScorer } from './resource-scoring.js';

/**
 * Filters out nodes with insufficient resources, and scores by the configured strategy (least allocated by default).
 */
export function nodeResourcesFit(
  args: PluginArguments['NodeResourcesFit'] = {},
  isGivenByDevices: (resource: string) => boolean = () => false,
): FilterPlugin & ScorePlugin {
  const { ignoredResources = [], ignoredResourceGroups = [], scoringStrategy } = args;
  const score = resourceScorer(scoringStrategy);
  // If the node lacks a resource that devices can provide, the plugin DynamicResources decides.
  const isIgnored = (name: string, { scalar }: Resource) =>
    ignoredResources.includes(name) ||
    ignoredResourceGroups.includes(name.split('/')[0] ?? '') ||
    (!scalar.get(name) && isGivenByDevices(name));
  return {
    name: 'NodeResourcesFit',
    isNodeLocal: true,
    wakesOn: [
      {
        event: 'node-added',
        helps: (event, pod) => event.kind === 'node-added' && hasRoom(event.node, pod, isIgnored),
      },
      {
        event: 'node-updated',
        helps: (event, pod) =>
          event.kind === 'node-updated' &&
          hasRoom(event.node, pod, isIgnored) &&
          hasMore(event.node, event.previous, pod),
      },
      { event: 'pod-deleted' },
      {
        event: 'other',
        resources: [refs.deviceClasses.resource],
        helps: (_event, pod) => [...pod.requests.scalar.keys()].some(isGivenByDevices),
      },
      {
        event: 'pod-updated',
        helps: (event, pod) => event.kind === 'pod-updated' && takesLess(event.pod, event.previous, pod),
      },
    ],

    filter(_state, pod, node) {
      const lacks = shortages(pod, node, isIgnored);
      if (lacks.length === 0) return fits;
      // If the pod does not fit on an empty node, preemption does not help.
      const kind: Verdict['kind'] = lacks.some(({ beyondNode }) => beyondNode)
        ? 'unschedulable-and-unresolvable'
        : 'unschedulable';
      return { kind, reasons: lacks.map(({ reason }) => reason) };
    },

    score: (_state, pod, node) => score(pod, node),
  };
}

interface Shortage {
  readonly reason: string;
  readonly beyondNode: boolean;
}

const none: readonly Shortage[] = [];

type IsIgnored = (resource: string, allocatable: Resource) => boolean;

function shortages({ requests }: PodInfo, node: NodeInfo, isIgnored: IsIgnored): readonly Shortage[] {
  const { allocatable, requested } = node;
  const fitsIn = (requested: number, used: number, total: number) => requested <= 0 || requested <= total - used;
  const isEnough =
    node.pods.size < node.allowedPods &&
    requests.scalar.size === 0 &&
    fitsIn(requests.milliCpu, requested.milliCpu, allocatable.milliCpu) &&
    fitsIn(requests.memory, requested.memory, allocatable.memory) &&
    fitsIn(requests.ephemeralStorage, requested.ephemeralStorage, allocatable.ephemeralStorage);
  return isEnough ? none : findShortages(requests, node, isIgnored);
}

function findShortages(
  requests: Resource,
  { allocatable, requested, pods, allowedPods }: NodeInfo,
  isIgnored: IsIgnored,
): Shortage[] {
  const found: Shortage[] = [];
  if (pods.size + 1 > allowedPods) found.push({ reason: 'Too many pods', beyondNode: false });
  const check = (name: string, requested: number, { used, total }: { used: number; total: number }) => {
    if (requested > 0 && requested > total - used)
      found.push({ reason: `Insufficient ${name}`, beyondNode: requested > total });
  };
  check('cpu', requests.milliCpu, { used: requested.milliCpu, total: allocatable.milliCpu });
  check('memory', requests.memory, { used: requested.memory, total: allocatable.memory });
  check('ephemeral-storage', requests.ephemeralStorage, {
    used: requested.ephemeralStorage,
    total: allocatable.ephemeralStorage,
  });
  for (const [name, amount] of requests.scalar) {
    if (isIgnored(name, allocatable)) continue;
    check(name, amount, { used: requested.scalar.get(name) ?? 0, total: allocatable.scalar.get(name) ?? 0 });
  }
  return found;
}

/** The pod would fit on an empty node. */
function hasRoom(node: Node, pod: PodInfo, isIgnored: IsIgnored): boolean {
  return shortages(pod, new NodeInfo(node), isIgnored).length === 0;
}

/** A pod that was scaled down may have released a resource that the pod requests. */
function takesLess(other: PodInfo, previous: PodInfo, { requests }: PodInfo): boolean {
  return askedFor(requests).some((name) => amountOf(other.requests, name) < amountOf(previous.requests, name));
}

function askedFor(requests: Resource): string[] {
  const names = ['cpu', 'memory', 'ephemeral-storage', ...requests.scalar.keys()];
  return names.filter((name) => amountOf(requests, name) > 0);
}

/** A node has gained some resource that the pod requests. */
function hasMore(node: Node, previous: Node, { requests }: PodInfo): boolean {
  const [now, before] = [node, previous].map(({ status }) => status?.allocatable ?? {});
  if (Number(now?.['pods'] ?? 0) > Number(before?.['pods'] ?? 0)) return true;
  const [has, had] = [resourceFromList(now), resourceFromList(before)];
  return askedFor(requests).some((name) => amountOf(has, name) > amountOf(had, name));
}
