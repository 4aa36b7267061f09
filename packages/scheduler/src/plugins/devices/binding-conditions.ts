import { refs, type resourcev1 } from '@coracle/api';
import { keyOf, type ObjectKey, parseTime } from '@coracle/apimachinery';
import { type Clock, Deferred, type Millis } from '@coracle/base';
import type { InformerFactory } from '@coracle/client';

type Claim = resourcev1.ResourceClaim;

/** Whether a pod that uses the devices of a claim may be bound. */
export type Readiness =
  | { readonly kind: 'ready' | 'pending' }
  /** The device has failed: another one has to be found. */
  | { readonly kind: 'failed'; readonly message: string };

/** Delays the binding of a pod, after the devices are allocated, until their drivers report that they are ready. */
export function hasBindingConditions({ status }: Claim): boolean {
  return (status?.allocation?.devices?.results ?? []).some(({ bindingConditions }) => bindingConditions?.length);
}

/** Evaluates the conditions of the devices, which their drivers write into the status of the claim. */
export function readinessOf({ metadata, status }: Claim): Readiness {
  if (!status?.allocation) return { kind: 'pending' };
  let isPending = false;
  for (const result of status.allocation.devices?.results ?? []) {
    const { bindingConditions = [], bindingFailureConditions = [] } = result;
    if (bindingConditions.length === 0) continue;
    const { driver, pool, device } = result;
    const reported = status.devices?.find(
      (one) => one.driver === driver && one.pool === pool && one.device === device,
    )?.conditions;
    const trueOne = (type: string) => reported?.find((one) => one.type === type && one.status === 'True');
    const failure = bindingFailureConditions.map(trueOne).find((one) => one !== undefined);
    if (failure) {
      const { reason, message } = failure;
      return {
        kind: 'failed',
        message: `claim ${metadata.name} binding failed: reason=${reason}, message=${JSON.stringify(message)}`,
      };
    }
    if (!bindingConditions.every(trueOne)) isPending = true;
  }
  return { kind: isPending ? 'pending' : 'ready' };
}

/** Whether the devices of the claim have failed or timed out. */
export function isStuck(claim: Claim, now: Millis, timeoutMs: Millis): boolean {
  if (!hasBindingConditions(claim)) return false;
  const { kind } = readinessOf(claim);
  return kind === 'failed' || (kind === 'pending' && deadlineOf(claim, timeoutMs) < now);
}

function deadlineOf({ status }: Claim, timeoutMs: Millis): Millis {
  const since = parseTime(status?.allocation?.allocationTimestamp ?? '');
  return since === undefined ? Number.POSITIVE_INFINITY : since + timeoutMs;
}

export interface ReadinessWait {
  readonly informers: InformerFactory;
  readonly clock: Clock;
  readonly timeoutMs: Millis;
}

/** Times in claims have a resolution of a second. */
const precisionMs: Millis = 1_000;

/** Rejects when a device fails, when a claim loses its devices, and at the timeout. */
export async function untilDevicesReady(
  { informers, clock, timeoutMs }: ReadinessWait,
  claims: readonly Claim[],
): Promise<void> {
  const latest = new Map<ObjectKey, Claim>(claims.map((claim) => [keyOf(claim), claim]));
  const done = new Deferred<void>();
  const check = () => {
    const found = [...latest.values()].map(readinessOf);
    const failed = found.find((one) => one.kind === 'failed');
    if (failed) done.reject(new Error(failed.message));
    else if (found.every(({ kind }) => kind === 'ready')) done.resolve();
  };
  const lost = (key: ObjectKey) => done.reject(new Error(`resourceclaim "${key}" lost its allocation`));
  using _following = informers.for(refs.resourceClaims).addHandler(({ type, object }) => {
    const key = keyOf(object);
    const before = latest.get(key);
    if (!before || (type !== 'deleted' && !isNewer(object, before))) return;
    latest.set(key, object);
    if (type === 'deleted' || !object.status?.allocation) lost(key);
    else check();
  });
  using _timer = clock.schedule(timeoutMs, () => done.reject(new Error('device binding timeout')));
  // Another pod may have started to wait for the same devices earlier.
  const earlier = claims.filter((claim) => deadlineOf(claim, timeoutMs) + precisionMs < clock.now() + timeoutMs);
  const timers = earlier.map((claim) =>
    clock.schedule(Math.max(0, deadlineOf(claim, timeoutMs) + precisionMs - clock.now()), () => {
      if (readinessOf(latest.get(keyOf(claim)) ?? claim).kind === 'pending')
        done.reject(new Error(`claim ${claim.metadata.name} binding timeout`));
    }),
  );
  check();
  try {
    await done.promise;
  } finally {
    for (const timer of timers) timer[Symbol.dispose]();
  }
}

/** The cache may not contain the last write yet. */
function isNewer({ metadata }: Claim, than: Claim): boolean {
  return Number(metadata.resourceVersion) > Number(than.metadata.resourceVersion);
}
