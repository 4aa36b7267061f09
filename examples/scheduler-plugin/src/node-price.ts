import type { NodeInfo, PodInfo, SchedulerPlugins } from 'coracle';

/** Nodes say what they cost an hour; pods say what they may cost. */
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
  // Only a node that comes or changes its labels can help a pod that was refused here.
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

/** What `--plugin` reads: the price counts five times as much as a plugin of weight 1. */
export default { plugin: nodePrice, weight: 5 };
