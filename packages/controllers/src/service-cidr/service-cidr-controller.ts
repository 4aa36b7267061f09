import { type networkingv1, refs } from '@coracle/api';
import {
  formatTime,
  hasFinalizer,
  isNotFound,
  keyOf,
  type ObjectKey,
  parseTime,
  withFinalizer,
  withoutFinalizer,
} from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { mayGo } from './plan-service-cidr.js';

type ServiceCidr = networkingv1.ServiceCIDR;

const finalizer = 'networking.k8s.io/service-cidr-finalizer';
/** Grace period for allocators that have not observed yet that a range is being deleted. */
const deletionGraceMs: Millis = 10_000;

/** Keeps ServiceCIDRs while addresses depend on them. */
export const serviceCidrController: Controller = {
  name: 'service-cidr-controller',
  account: 'service-cidrs-controller',
  start(context) {
    const { informers } = context;
    const ranges = informers.for(refs.serviceCIDRs);
    return runKeyed(context, {
      name: 'service_cidrs',
      watch: (queue) => [
        ranges.addHandler(({ object }) => {
          queue.add(keyOf(object));
          for (const other of goingOf(ranges.list())) queue.add(keyOf(other));
        }),
        informers.for(refs.ipAddresses).addHandler(({ type }) => {
          if (type !== 'deleted') return;
          for (const range of goingOf(ranges.list())) queue.add(keyOf(range));
        }),
      ],
      reconcile: (key) => reconcile(key, context),
    });
  },
};

function goingOf(ranges: readonly ServiceCidr[]): ServiceCidr[] {
  return ranges.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
}

async function reconcile(key: ObjectKey, context: ControllerContext): Promise<{ requeueAfterMs: Millis } | undefined> {
  const { client, informers, clock } = context;
  const ranges = informers.for(refs.serviceCIDRs);
  const range = ranges.get(key);
  if (!range) return undefined;
  const resource = client.resource(refs.serviceCIDRs);
  if (range.metadata.deletionTimestamp === undefined) {
    if (!hasFinalizer(range, finalizer)) await resource.update(withFinalizer(range, finalizer)).catch(ignoreGone);
    else await setReady(range, context, ready);
    return undefined;
  }
  if (!hasFinalizer(range, finalizer)) return undefined;
  if (!mayGo(range, ranges.list(), informers.for(refs.ipAddresses).list())) {
    await setReady(range, context, terminating);
    return undefined;
  }
  const leftMs = (parseTime(range.metadata.deletionTimestamp) ?? 0) + deletionGraceMs - clock.now();
  if (leftMs > 0) return { requeueAfterMs: leftMs };
  await resource.update(withoutFinalizer(range, finalizer)).catch(ignoreGone);
  return undefined;
}

const ready = { status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' } as const;
const terminating = {
  status: 'False',
  reason: 'Terminating',
  message: 'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
} as const;

async function setReady(
  range: ServiceCidr,
  { client, clock }: ControllerContext,
  desiredCondition: typeof ready | typeof terminating,
): Promise<void> {
  const conditions = range.status?.conditions ?? [];
  if (conditions.some(({ type, status }) => type === 'Ready' && status === desiredCondition.status)) return;
  const others = conditions.filter(({ type }) => type !== 'Ready');
  const condition = { type: 'Ready', ...desiredCondition, lastTransitionTime: formatTime(clock.now()) };
  await client
    .resource(refs.serviceCIDRs)
    .updateStatus({ ...range, status: { conditions: [...others, condition] } })
    .catch(ignoreGone);
}

function ignoreGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
