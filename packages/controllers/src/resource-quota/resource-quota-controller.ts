import { QuotaEvaluators, type ResourceQuota, refs } from '@coracle/api';
import { isConflict, isNotFound, keyOf, type ObjectKey } from '@coracle/apimachinery';
import { DisposableStack, deepEqual, type Millis } from '@coracle/base';
import type { InformerEvent } from '@coracle/client';
import { type Controller, type ControllerContext, type KeyQueue, runKeyed } from '../controller.js';
import { CountedResources } from './counted-resources.js';
import { quotaStatus } from './quota-status.js';
import { deviceSource, QuotaUsage } from './quota-usage.js';

/** Resync interval, which corrects charges of admission for objects that were not created. */
const defaultResyncMs: Millis = 5 * 60_000;
const writeAttempts = 5;

export interface ResourceQuotaOptions {
  /** `--resource-quota-sync-period`. */
  readonly resyncMs?: Millis;
}

/** Updates the usage of quotas. Admission adds charges; this controller recounts, mainly after deletions. */
export function resourceQuotaController({ resyncMs = defaultResyncMs }: ResourceQuotaOptions = {}): Controller {
  return {
    name: 'resourcequota-controller',
    start(context) {
      const quotas = context.informers.for(refs.resourceQuotas);
      const parts = new DisposableStack();
      let queue: KeyQueue | undefined;
      const evaluators = new QuotaEvaluators(deviceSource(context));
      const counted = parts.use(
        new CountedResources(context, evaluators, (namespace) => {
          for (const quota of quotas.list(namespace)) queue?.add(keyOf(quota));
        }),
      );
      const usage = new QuotaUsage(context, evaluators, counted);
      parts.use(
        runKeyed(context, {
          name: 'resourcequota_primary',
          watch: (keys) => {
            queue = keys;
            const enqueue = (event: InformerEvent<ResourceQuota>) => {
              if (mayNeedCounting(event)) keys.add(keyOf(event.object));
            };
            return [quotas.addHandler(enqueue, { resyncMs })];
          },
          reconcile: (key) => reconcile(key, context, usage),
        }),
      );
      return parts;
    },
  };
}

/** Status changes are made by admission or by this controller. */
function mayNeedCounting(event: InformerEvent<ResourceQuota>): boolean {
  if (event.type !== 'updated') return event.type === 'added';
  const isResync = event.previous === event.object;
  return isResync || !deepEqual(event.previous.spec, event.object.spec);
}

async function reconcile(key: ObjectKey, context: ControllerContext, usage: QuotaUsage): Promise<void> {
  const cached = context.informers.for(refs.resourceQuotas).get(key);
  if (!cached) return;
  const { namespace = '', name = '' } = cached.metadata;
  const quotas = context.client.resourceQuotas(namespace);
  let quota: ResourceQuota = cached;
  for (let attempt = 1; ; attempt++) {
    const status = quotaStatus(quota, await usage.of(quota));
    if (!status) return;
    try {
      await quotas.updateStatus({ ...quota, status });
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error) || attempt >= writeAttempts) throw error;
    }
    // Admission has charged the quota meanwhile: the count may be stale.
    const fresh = (await quotas.list({ fieldSelector: `metadata.name=${name}` })).items[0];
    if (!fresh) return;
    quota = fresh;
  }
}
