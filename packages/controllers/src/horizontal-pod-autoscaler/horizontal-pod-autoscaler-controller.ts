import { type autoscalingv2, refs } from '@coracle/api';
import { isNotFound, keyOf, type ObjectKey } from '@coracle/apimachinery';
import { deepEqual, type Millis, RecentMap } from '@coracle/base';
import { type Controller, runKeyed } from '../controller.js';
import { AutoscalerMetrics } from './autoscaler-metrics.js';
import { AutoscalerSelectors } from './autoscaler-selectors.js';
import { MetricsClient } from './metrics-client.js';
import { type AutoscalerSettings, type AutoscalerWork, syncAutoscaler } from './sync-autoscaler.js';

export type HorizontalPodAutoscalerOptions = Partial<AutoscalerSettings> & {
  /** `--horizontal-pod-autoscaler-sync-period`. */
  readonly syncPeriodMs?: Millis | undefined;
};

const defaults: AutoscalerSettings & { readonly syncPeriodMs: Millis } = {
  syncPeriodMs: 15_000,
  downscaleMs: 300_000,
  tolerance: 0.1,
  cpuInitializationMs: 300_000,
  initialReadinessDelayMs: 30_000,
};

/** Scales the replicas of a target by its metrics, every few seconds. */
export function horizontalPodAutoscalerController(options: HorizontalPodAutoscalerOptions = {}): Controller {
  const settings = { ...defaults, ...options };
  const syncPeriodMs = options.syncPeriodMs ?? defaults.syncPeriodMs;
  return {
    name: 'horizontal-pod-autoscaler-controller',
    account: 'horizontal-pod-autoscaler',
    component: 'horizontal-pod-autoscaler',
    start(context) {
      const autoscalers = context.informers.for(refs.horizontalPodAutoscalers);
      context.informers.for(refs.pods);
      const work: AutoscalerWork = {
        context,
        settings,
        metrics: new MetricsClient(context.client),
        measured: new AutoscalerMetrics(context),
        histories: new Map(),
        selectors: new AutoscalerSelectors(),
        parsedSelectors: new RecentMap(1_000),
      };
      /** When each autoscaler is synced next. */
      const due = new Map<ObjectKey, Millis>();
      return runKeyed(context, {
        name: 'horizontalpodautoscaler',
        watch: (queue) => [
          autoscalers.addHandler((event) => {
            const key = keyOf(event.object);
            if (event.type === 'deleted') {
              due.delete(key);
              work.selectors.forget(key);
            }
            // Its own status updates do not trigger a sync.
            const isChanged = event.type !== 'updated' || !deepEqual(event.previous.spec, event.object.spec);
            if (!isChanged) return;
            due.delete(key);
            queue.add(key);
          }),
        ],
        reconcile: async (key) => {
          const now = context.clock.now();
          const autoscaler = autoscalers.get(key);
          if (!autoscaler) {
            work.histories.delete(key);
            work.selectors.forget(key);
            return undefined;
          }
          const next = due.get(key) ?? 0;
          if (next > now) return { requeueAfterMs: next - now };
          due.set(key, now + syncPeriodMs);
          await syncAutoscaler(autoscaler as autoscalingv2.HorizontalPodAutoscaler, work).catch((error: unknown) => {
            if (!isNotFound(error))
              context.logger.error('An autoscaler could not be synced', { autoscaler: key, error });
          });
          return { requeueAfterMs: syncPeriodMs };
        },
      });
    },
  };
}
