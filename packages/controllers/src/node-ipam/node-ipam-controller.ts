import { type Node, refs } from '@coracle/api';
import {
  formatCidr,
  isConflict,
  isNotFound,
  keyOf,
  maskedCidr,
  type ObjectKey,
  parseCidr,
} from '@coracle/apimachinery';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { CidrMetrics, cidrsOf } from './cidr-metrics.js';
import { type ClusterRange, freeCidrs } from './plan-node-cidrs.js';

export interface NodeIpamOptions {
  /** At most one of each address family. */
  readonly ranges: readonly ClusterRange[];
  /** Addresses of services, which are never allocated as pod CIDRs. */
  readonly serviceRanges?: readonly string[] | undefined;
}

/** Allocates to each node its pod CIDRs. */
export function nodeIpamController({ ranges, serviceRanges = [] }: NodeIpamOptions): Controller {
  const reserved = serviceRanges.flatMap(networkOf);
  return {
    name: 'node-ipam-controller',
    account: 'node-controller',
    component: 'cidrAllocator',
    start(context) {
      /** Allocated CIDRs that the informer may not show yet. */
      const allocations = new Map<ObjectKey, readonly string[]>();
      const measured = new CidrMetrics(context.metrics, ranges);
      const work: Allocation = { ranges, reserved, allocations, measured, next: [] };
      return runKeyed(context, {
        name: 'cidrallocator_node',
        // Serialized: two concurrent searches would find the same CIDR.
        workers: 1,
        watch: (queue) => [
          context.informers.for(refs.nodes).addHandler(({ type, object }) => {
            if (type !== 'deleted') {
              measured.occupied(cidrsOf(object));
              queue.add(keyOf(object));
              return;
            }
            measured.released(cidrsOf(object));
            allocations.delete(keyOf(object));
            // A CIDR has become free.
            for (const node of context.informers.for(refs.nodes).list()) if (!hasCidrs(node)) queue.add(keyOf(node));
          }),
        ],
        reconcile: (key) => allocate(key, context, work),
      });
    },
  };
}

/** The network of a range in its canonical form. */
function networkOf(text: string): string[] {
  const cidr = parseCidr(text);
  return cidr ? [formatCidr(maskedCidr(cidr))] : [];
}

interface Allocation {
  readonly ranges: readonly ClusterRange[];
  readonly reserved: readonly string[];
  readonly allocations: Map<ObjectKey, readonly string[]>;
  readonly measured: CidrMetrics;
  /** Where the next search begins in each range. */
  next: readonly number[];
}

function choose(work: Allocation, taken: readonly string[]): readonly string[] | undefined {
  const free = freeCidrs(work.ranges, [...taken, ...work.reserved], work.next);
  if (free) work.next = free.next;
  return free?.cidrs;
}

function hasCidrs({ spec }: Node): boolean {
  return (spec?.podCIDRs ?? []).length > 0 || !!spec?.podCIDR;
}

async function allocate(
  key: ObjectKey,
  { informers, client, recorder }: ControllerContext,
  work: Allocation,
): Promise<void> {
  const { allocations, measured } = work;
  const nodes = informers.for(refs.nodes);
  const node = nodes.get(key);
  if (!node || node.metadata.deletionTimestamp || hasCidrs(node)) return;
  const taken = nodes.list().flatMap(({ spec }) => spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []));
  const others = [...allocations].filter(([other]) => other !== key).flatMap(([, cidrs]) => cidrs);
  const cidrs = allocations.get(key) ?? choose(work, [...taken, ...others]);
  if (!cidrs) {
    recorder.event(node, 'Normal', 'CIDRNotAvailable', `Node ${node.metadata.name} status is now: CIDRNotAvailable`);
    return;
  }
  allocations.set(key, cidrs);
  const { name = '', uid } = node.metadata;
  try {
    const patch = { metadata: { uid }, spec: { podCIDR: cidrs[0], podCIDRs: cidrs } };
    await client.resource(refs.nodes).patch(name, patch, { type: 'strategic' });
    measured.chosen(cidrs);
  } catch (error) {
    // The node was replaced, or the write conflicted; in both cases another event follows.
    allocations.delete(key);
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
