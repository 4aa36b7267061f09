import { writeJson } from '@coracle/apimachinery';
import type { NodeInfo } from './cache/node-info.js';
import type { PodInfo } from './cache/pod-info.js';
import type { FilterPlugin } from './framework/plugin.js';
import type { Profile } from './framework/profile.js';
import type { Verdict } from './framework/verdict.js';

export interface Refusal {
  readonly plugin: string;
  readonly verdict: Verdict;
}

/** A class of pods that `nodeLocal` plugins of one profile treat alike. Compared by identity. */
export interface PodShape {
  readonly key: string;
}

/**
 * Cached results of these plugins on a node for pods of a shape. A node has one, of the last shape; it is cleared when
 * the node or its pods change: of the thousands of nodes that are evaluated for the pods of one template, few change in
 * between.
 */
export class NodeMemo {
  readonly shape: PodShape;
  readonly refusal: Refusal | undefined;
  /** The weighted sum of the scores. */
  total: number | undefined;

  constructor(shape: PodShape, refusal: Refusal | undefined) {
    this.shape = shape;
    this.refusal = refusal;
  }
}

export function memoOf({ memo }: NodeInfo, shape: PodShape): NodeMemo | undefined {
  return memo instanceof NodeMemo && memo.shape === shape ? memo : undefined;
}

/** Maximum number of shapes: few templates are scheduled at a time. */
const mostShapes = 256;
const shapesByProfile = new WeakMap<Profile, Map<string, PodShape>>();

/**
 * The shape of a pod to these filters. `undefined` for pods with special resources, which depend on other plugins and
 * objects too.
 */
export function shapeOf(
  { pod, requests, presumed }: PodInfo,
  { profile, filters }: { readonly profile: Profile; readonly filters: readonly FilterPlugin[] },
): PodShape | undefined {
  if (requests.scalar.size > 0) return undefined;
  const { nodeName = '', tolerations = [] } = pod.spec ?? {};
  const amounts = `${requests.milliCpu} ${requests.memory} ${requests.ephemeralStorage}`;
  const names = filters.map(({ name }) => name).join();
  const key = `${names} ${amounts} ${presumed.milliCpu} ${presumed.memory} ${nodeName} ${writeJson(tolerations)}`;
  let shapes = shapesByProfile.get(profile);
  if (!shapes || shapes.size >= mostShapes) {
    shapes = new Map();
    shapesByProfile.set(profile, shapes);
  }
  let shape = shapes.get(key);
  if (!shape) {
    shape = { key };
    shapes.set(key, shape);
  }
  return shape;
}
