import { type resourcev1, toleratesDeviceTaint } from '@coracle/api';
import { parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

export interface DeviceEvictionInput {
  /** Allocated claims that the pod uses. */
  readonly claims: readonly resourcev1.ResourceClaim[];
  readonly taintsOf: (device: resourcev1.DeviceRequestAllocationResult) => readonly resourcev1.DeviceTaint[];
  readonly now: Millis;
}

/** When a pod has to go because of the taints of its devices; `undefined` if it may stay. */
export function planDeviceEviction({ claims, taintsOf, now }: DeviceEvictionInput): Millis | undefined {
  const times = claims
    .flatMap(({ status }) => status?.allocation?.devices?.results ?? [])
    .flatMap((device) =>
      taintsOf(device)
        .filter(({ effect }) => effect === 'NoExecute')
        .map((taint) => endOf(taint, device.tolerations ?? [], now)),
    );
  const earliest = Math.min(...times);
  return Number.isFinite(earliest) ? earliest : undefined;
}

/** Never, if it is tolerated for ever; else as long after the taint came as the toleration says. */
function endOf(
  taint: resourcev1.DeviceTaint,
  tolerations: readonly resourcev1.DeviceToleration[],
  now: Millis,
): Millis {
  const matching = tolerations.filter((toleration) => toleratesDeviceTaint(toleration, taint));
  if (matching.length === 0) return now;
  const seconds = matching.map(({ tolerationSeconds }) => tolerationSeconds ?? Number.POSITIVE_INFINITY);
  return (parseTime(taint.timeAdded ?? '') ?? now) + Math.max(0, Math.min(...seconds)) * 1000;
}
