import type { Node, Pod } from '@coracle/api';
import { isRecord } from '@coracle/base';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { Victims } from '../framework/victims.js';

// The messages of k8s.io/kube-scheduler/extender/v1. Their fields have Go's names, which begin with capital letters.

export interface ExtenderArgs {
  readonly Pod: Pod;
  /** For extenders without a cache of their own. */
  readonly Nodes: { readonly metadata: object; readonly items: readonly Node[] } | null;
  readonly NodeNames: readonly string[] | null;
}

export function extenderArgs(pod: Pod, nodes: readonly NodeInfo[], nodeCacheCapable: boolean): ExtenderArgs {
  const shared = { Pod: untyped(pod) };
  return nodeCacheCapable
    ? { ...shared, Nodes: null, NodeNames: nodes.map(({ name }) => name) }
    : { ...shared, Nodes: { metadata: {}, items: nodes.map(({ node }) => untyped(node)) }, NodeNames: null };
}

export function bindingArgs({ pod, namespace, uid }: PodInfo, node: string) {
  return { PodName: pod.metadata.name ?? '', PodNamespace: namespace, PodUID: uid, Node: node };
}

export function preemptionArgs(pod: Pod, candidates: readonly Victims[], nodeCacheCapable: boolean) {
  const byNode = <T>(podOf: (victim: PodInfo) => T) =>
    Object.fromEntries(
      candidates.map(({ node, pods, violations }) => [node, { Pods: pods.map(podOf), NumPDBViolations: violations }]),
    );
  return {
    Pod: untyped(pod),
    NodeNameToVictims: nodeCacheCapable ? null : byNode((victim) => untyped(victim.pod)),
    NodeNameToMetaVictims: nodeCacheCapable ? byNode(({ uid }) => ({ UID: uid })) : null,
  };
}

/** Items of lists and messages omit their kind. */
function untyped<T extends object>(object: T): T {
  const { kind: _kind, apiVersion: _version, ...rest } = object as { kind?: unknown; apiVersion?: unknown };
  // Both are optional in every object.
  return rest as T;
}

export interface FilterResult {
  /** The names of the remaining nodes; `undefined` if the extender does not return them. */
  readonly nodeNames: readonly string[] | undefined;
  readonly nodes: readonly string[] | undefined;
  readonly failedNodes: Readonly<Record<string, string>>;
  readonly failedAndUnresolvableNodes: Readonly<Record<string, string>>;
  readonly error: string;
}

export function readFilterResult(value: unknown): FilterResult {
  const items = fieldOf(fieldOf(value, 'Nodes'), 'items');
  return {
    nodeNames: listOf(fieldOf(value, 'NodeNames'))?.map(textOf),
    nodes: listOf(items)?.map((node) => textOf(fieldOf(fieldOf(node, 'metadata'), 'name'))),
    failedNodes: reasonsOf(fieldOf(value, 'FailedNodes')),
    failedAndUnresolvableNodes: reasonsOf(fieldOf(value, 'FailedAndUnresolvableNodes')),
    error: readError(value),
  };
}

/** The `Error` of a response; empty on success. */
export function readError(value: unknown): string {
  return textOf(fieldOf(value, 'Error'));
}

/** A `HostPriorityList`. */
export function readScores(value: unknown): readonly { readonly host: string; readonly score: number }[] {
  return (listOf(value) ?? []).map((one) => ({
    host: textOf(fieldOf(one, 'Host')),
    score: countOf(fieldOf(one, 'Score')),
  }));
}

export interface MetaVictims {
  readonly node: string;
  readonly uids: readonly string[];
  readonly violations: number;
}

/** An `ExtenderPreemptionResult`, which always names pods by their uid. */
export function readVictims(value: unknown): MetaVictims[] {
  const byNode = fieldOf(value, 'NodeNameToMetaVictims') ?? {};
  if (!isRecord(byNode)) throw unreadable(byNode, 'an object');
  return Object.entries(byNode).map(([node, victims]) => ({
    node,
    uids: (listOf(fieldOf(victims, 'Pods')) ?? []).map((pod) => textOf(fieldOf(pod, 'UID'))),
    violations: countOf(fieldOf(victims, 'NumPDBViolations')),
  }));
}

/** Decodes like Go: keys are case-insensitive, and null counts as absent. */
function fieldOf(value: unknown, name: string): unknown {
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) throw unreadable(value, 'an object');
  const key = name in value ? name : Object.keys(value).find((one) => one.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : (value[key] ?? undefined);
}

function listOf(value: unknown): readonly unknown[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw unreadable(value, 'a list');
  return value;
}

function textOf(value: unknown = ''): string {
  if (typeof value !== 'string') throw unreadable(value, 'a string');
  return value;
}

function countOf(value: unknown = 0): number {
  if (!Number.isSafeInteger(value)) throw unreadable(value, 'a whole number');
  return value as number;
}

function reasonsOf(value: unknown = {}): Readonly<Record<string, string>> {
  if (!isRecord(value)) throw unreadable(value, 'an object');
  return Object.fromEntries(Object.entries(value).map(([node, reason]) => [node, textOf(reason)]));
}

function unreadable(value: unknown, expectedType: string): Error {
  return new Error(`the answer of the extender has ${JSON.stringify(value)} instead of ${expectedType}`);
}
