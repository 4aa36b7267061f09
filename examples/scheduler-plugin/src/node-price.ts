import type { NodeInfo, PodInfo, SchedulerPlugins } from 'coracle';

/** Nodes have a price per hour; pods have a maximum price. */
const priceLabel = 'example.com/price';
const budgetAnnotation = 'example.com/max-price';

const tooExpensive = {
  kind: 'unschedulable-and-unresolvable',
  reasons: ["node(s) exceeded the pod's budget"],
} as const;
const fits = { kind: 'fits' } as const;

const priceOf = ({ node }: NodeInfo): number => Number(node.metadata.labels?.[priceLabel] ?? 0);
const budgetOf = ({ pod }: PodInfo): number => Number(pod.metadata.annotations?.[budgetAnnotation] ?? Infinity);

/** Rules out nodes beyond the budget of a pod, and prefers the cheapest of the others. */
export const nodePrice: SchedulerPlugins['Filter'] & SchedulerPlugins['Score'] = {
  name: 'NodePrice',
  // Only a new node, or a changed label, can help a pod that was rejected here.
  wakesOn: [{ event: 'node-added' }, { event: 'node-updated' }],

  filter(_state, pod, node) {
    return priceOf(node) <= budgetOf(pod) ? fits : tooExpensive;
  },

  score(_state, _pod, node) {
    return priceOf(node);
  },

  /** The cheapest gets 100, the most expensive 0. */
  normalize(scores) {
    const most = Math.max(...scores, 0);
    for (const [index, price] of scores.entries())
      scores[index] = most === 0 ? 100 : Math.round(100 - (100 * price) / most);
  },
};

/** The export for `--plugin`: the price has five times the weight of a plugin with weight 1. */
export default { plugin: nodePrice, weight: 5 };
