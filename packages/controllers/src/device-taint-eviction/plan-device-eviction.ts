import { type resourcev1, toleratesDeviceTaint } from '@coracle/api';
import { parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

/** A taint of a device, and the uid of its DeviceTaintRule, if it is not from the driver. */
export interface TrackedTaint {
  readonly taint: resourcev1.DeviceTaint;
  readonly rule?: string;
}

export interface DeviceEvictionInput {
  /** Allocated claims that the pod uses. */
  readonly claims: readonly resourcev1.ResourceClaim[];
  readonly taintsOf: (device: resourcev1.DeviceRequestAllocationResult) => readonly TrackedTaint[];
  readonly now: Millis;
}

export interface DeviceEviction {
  readonly at: Millis;
  /** Uids of the rules that cause the eviction. */
  readonly rules: ReadonlySet<string>;
}

/** When a pod has to be evicted because of the taints of its devices; `undefined` if it may stay. */
export function planDeviceEviction({ claims, taintsOf, now }: DeviceEvictionInput): DeviceEviction | undefined {
  const reasons = claims
    .flatMap(({ status }) => status?.allocation?.devices?.results ?? [])
    .flatMap((device) =>
      taintsOf(device)
        .filter(({ taint }) => taint.effect === 'NoExecute')
        .map(({ taint, rule }) => ({ at: endOf(taint, device.tolerations ?? [], now), rule })),
    )
    .filter(({ at }) => Number.isFinite(at));
  if (reasons.length === 0) return undefined;
  return {
    at: Math.min(...reasons.map(({ at }) => at)),
    rules: new Set(reasons.flatMap(({ rule }) => rule ?? [])),
  };
}

/** Never, if it is tolerated without limit; else `tolerationSeconds` after the taint was added. */
function endOf(
  taint: resourcev1.DeviceTaint,
  tolerations: readonly resourcev1.DeviceToleration[],
  now: Millis,
): Millis {
  const matching = tolerations.filter((toleration) => toleratesDeviceTaint(toleration, taint));
  if (matching.length === 0) return now;
  const seconds = matching.map(({ tolerationSeconds }) => Number(tolerationSeconds ?? Number.POSITIVE_INFINITY));
  return (parseTime(taint.timeAdded ?? '') ?? now) + Math.max(0, Math.min(...seconds)) * 1000;
}
