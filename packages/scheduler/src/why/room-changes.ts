import type { Container } from '@coracle/api';
import { Quantity } from '@coracle/apimachinery';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import { type Resource, resourceFromList } from '../cache/resource.js';
import { amountOf } from '../plugins/resource-scoring.js';
import { type Change, type Trial, without, withSpec } from './trial.js';

/** Changes with which a pod fits on a node without enough resources: smaller requests, or fewer other pods. */
export function roomChanges(trial: Trial): readonly Change[] {
  return [...shrink(trial), ...makeRoom(trial)];
}

/** A resource of which the pod requests more than is free. */
interface Shortage {
  readonly resource: string;
  readonly by: number;
}

function shortagesOf({ pod: { requests }, node }: Trial): Shortage[] {
  const names = ['cpu', 'memory', 'ephemeral-storage', ...requests.scalar.keys()];
  return names.flatMap((resource) => {
    const requested = amountOf(requests, resource);
    const by = requested - freeOf(node, resource);
    return requested > 0 && by > 0 ? [{ resource, by }] : [];
  });
}

function freeOf({ allocatable, requested }: NodeInfo, resource: string): number {
  return amountOf(allocatable, resource) - amountOf(requested, resource);
}

/** A container with smaller requests. */
interface Cut {
  readonly container: string;
  readonly resource: string;
  readonly left: number;
}

/** Reduces the requests of the container that requests the most of each resource to the available amount. */
function shrink(trial: Trial): Change[] {
  const containers = trial.pod.pod.spec?.containers ?? [];
  const cuts: Cut[] = [];
  for (const { resource, by } of shortagesOf(trial)) {
    const amounts = containers.map(({ name, resources }) => ({
      name,
      amount: amountOf(resourceFromList(resources?.requests), resource),
    }));
    const [largest] = amounts.sort((a, b) => b.amount - a.amount);
    const left = (largest?.amount ?? 0) - by;
    // A pod needs cpu and memory; other resources may be removed.
    if (!largest || left < 0 || (left === 0 && !isSpecial(resource))) return [];
    cuts.push({ container: largest.name, resource, left });
  }
  if (cuts.length === 0) return [];
  const text = cuts.map((cut) => `${cut.resource} to ${quantityOf(cut)}${ofContainer(cut, containers)}`).join(' and ');
  return [
    {
      text: `shrink the request of ${text}`,
      cost: 1.5,
      apply: (one) =>
        withSpec(one, (spec) => ({ ...spec, containers: spec.containers.map((each) => cutDown(each, cuts)) })),
    },
  ];
}

function isSpecial(resource: string): boolean {
  return resource.includes('/');
}

function quantityOf({ resource, left }: Cut): Quantity {
  if (resource === 'cpu') return Quantity.ofMilli(left);
  return isSpecial(resource) ? Quantity.of(left) : Quantity.of(left, 'BinarySI');
}

function ofContainer({ container }: Cut, { length }: readonly Container[]): string {
  return length > 1 ? ` in the container ${container}` : '';
}

function cutDown(container: Container, cuts: readonly Cut[]): Container {
  const own = cuts.filter((cut) => cut.container === container.name);
  if (own.length === 0) return container;
  const { resources } = container;
  const less = Object.fromEntries(own.map((cut) => [cut.resource, quantityOf(cut).toString()]));
  return { ...container, resources: { ...resources, requests: { ...resources?.requests, ...less } } };
}

/** The fewest pods that would have to be removed, those of the lowest priority and the largest ones first. */
function makeRoom(trial: Trial): Change[] {
  const { node } = trial;
  const shortages = shortagesOf(trial);
  const isEnough = (pods: readonly PodInfo[]) =>
    pods.length > 0 &&
    shortages.every(({ resource, by }) => sum(pods, ({ requests }) => amountOf(requests, resource)) >= by);
  const weight = ({ requests }: PodInfo) => largestShare(requests, shortages);
  const sorted = [...node.pods.values()].sort((a, b) => a.priority - b.priority || weight(b) - weight(a));
  const count = sorted.findIndex((_, index) => isEnough(sorted.slice(0, index + 1))) + 1;
  const going = sorted.slice(0, count || sorted.length);
  // Removes pods from the selection that turn out to be unnecessary.
  for (const other of [...going])
    if (isEnough(going.filter((one) => one !== other))) going.splice(going.indexOf(other), 1);
  return removePods(trial, going);
}

/** The part of the missing resources that a pod would release: 1 for all of some resource. */
function largestShare(requests: Resource, shortages: readonly Shortage[]): number {
  return Math.max(0, ...shortages.map(({ resource, by }) => amountOf(requests, resource) / by));
}

function sum(pods: readonly PodInfo[], amount: (pod: PodInfo) => number): number {
  return pods.reduce((total, one) => total + amount(one), 0);
}

export function removePods({ pod, node }: Trial, going: readonly PodInfo[]): Change[] {
  if (going.length === 0) return [];
  const isPreemption = going.every(({ priority }) => priority < pod.priority);
  const names = going.map(({ key }) => key).join(', ');
  return [
    {
      text: `${isPreemption ? 'preempt' : 'remove'} ${names} from the node ${node.name}`,
      cost: 2 + going.length,
      apply: (trial) => without(trial, going),
    },
  ];
}
