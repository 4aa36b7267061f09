import { type Pod, refs } from '@coracle/api';
import { keyOf, type ObjectKey } from '@coracle/apimachinery';
import { DisposableStack, disposable, type Millis } from '@coracle/base';
import { type Controller, type ControllerContext, type KeyQueue, runKeyed } from '../controller.js';
import { passEvery } from '../pass-every.js';
import { isReady } from '../pod-state.js';
import { indexPodsByNode } from '../pods-on-node.js';
import { markPodNotReady } from './mark-pods.js';
import { conditionOf, type GracePeriods } from './node-health.js';
import { NodeMetrics } from './node-metrics.js';
import { type MonitorOptions, NodeMonitor, nodeLeases } from './node-monitor.js';
import { hasEvictionTaint, planEvictionTaints, planLabels, planSchedulingTaints } from './node-taints.js';
import { writeTaints } from './write-taints.js';
import { defaultRates, type EvictionRates, zoneOf } from './zones.js';

export interface NodeLifecycleOptions {
  /** `--node-monitor-period`. */
  readonly periodMs?: Millis;
  /** `--node-monitor-grace-period` and `--node-startup-grace-period`. */
  readonly grace?: Partial<GracePeriods>;
  readonly rates?: Partial<EvictionRates>;
}

const defaultPeriodMs: Millis = 5000;
const defaultGrace: GracePeriods = { running: 50_000, starting: 60_000 };

/** Detects nodes without heartbeats, keeps new pods away from them, and evicts running ones. */
export function nodeLifecycleController(options: NodeLifecycleOptions = {}): Controller {
  return {
    name: 'node-lifecycle-controller',
    account: 'node-controller',
    component: 'node-controller',
    start(context) {
      nodeLeases(context.informers);
      indexPodsByNode(context.informers);
      const parts = new DisposableStack();
      parts.use(runNodes(context, options));
      parts.use(runPods(context));
      return parts;
    },
  };
}

function runNodes(context: ControllerContext, options: NodeLifecycleOptions): AsyncDisposable {
  /** Nodes whose NoExecute taint has to be added or removed. */
  const due = new Set<string>();
  const metrics = new NodeMetrics(context);
  return runKeyed(context, {
    name: 'node_lifecycle_controller',
    watch: (queue) => [
      context.informers.for(refs.nodes).addHandler(({ object }) => queue.add(keyOf(object))),
      watchHealth(context, {
        periodMs: options.periodMs ?? defaultPeriodMs,
        grace: { ...defaultGrace, ...options.grace },
        rates: { ...defaultRates, ...options.rates },
        metrics,
        requestTaint: (nodeName) => {
          due.add(nodeName);
          queue.add(nodeName);
        },
      }),
    ],
    reconcile: (nodeName) => bringInLine(nodeName, context, { due, metrics }),
  });
}

/** Checks all nodes every few seconds. */
function watchHealth(
  context: ControllerContext,
  { periodMs, ...options }: MonitorOptions & { readonly periodMs: Millis },
): Disposable {
  const monitor = new NodeMonitor(context, options);
  const passes = passEvery(context, {
    periodMs,
    failure: 'the nodes could not be looked at',
    pass: () => monitor.pass(),
  });
  return disposable(() => {
    passes[Symbol.dispose]();
    monitor[Symbol.dispose]();
  });
}

/** Updates the labels and taints of a node. The queue retries conflicts. */
async function bringInLine(
  nodeName: ObjectKey,
  context: ControllerContext,
  { due, metrics }: { readonly due: Set<string>; readonly metrics: NodeMetrics },
): Promise<void> {
  const node = context.informers.for(refs.nodes).get(nodeName);
  if (!node) {
    due.delete(nodeName);
    return;
  }
  const labels = planLabels(node);
  if (labels) {
    await context.client.resource(refs.nodes).patch(nodeName, { metadata: { labels } }, { type: 'merge' });
    return;
  }
  const scheduling = planSchedulingTaints(node, context.clock.now());
  const tainted = scheduling ? { ...node, spec: { ...node.spec, taints: scheduling } } : node;
  const ready = conditionOf(node, 'Ready')?.status ?? 'Unknown';
  const eviction = due.has(nodeName) ? planEvictionTaints(tainted, ready, context.clock.now()) : undefined;
  await writeTaints(context, node, eviction ?? scheduling);
  if (eviction && !hasEvictionTaint(node)) metrics.evicted(zoneOf(node));
  due.delete(nodeName);
}

/** Pods that are created on a node that is not ready are marked as not ready. */
function runPods(context: ControllerContext): AsyncDisposable {
  const { informers } = context;
  const onSilentNode = ({ spec }: Pod) => {
    const node = informers.for(refs.nodes).get(spec?.nodeName ?? '');
    const ready = node && conditionOf(node, 'Ready');
    return ready !== undefined && ready.status !== 'True';
  };
  const watch = (queue: KeyQueue) => [
    informers.for(refs.pods).addHandler(({ type, object }) => {
      if (type !== 'deleted' && isReady(object) && onSilentNode(object)) queue.add(keyOf(object));
    }),
  ];
  return runKeyed(context, {
    name: 'node_lifecycle_controller_pods',
    watch,
    reconcile: async (key) => {
      const pod = informers.for(refs.pods).get(key);
      if (pod && onSilentNode(pod)) await markPodNotReady(context, pod);
    },
  });
}
