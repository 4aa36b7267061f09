import { amountsOf, type ResourceAmounts, type ResourceQuota, type ResourceQuotaStatus } from '@coracle/api';

/**
 * The desired status of a quota, given the usage; `undefined` if it is unchanged. Usage that could not be counted keeps
 * its last value.
 */
export function quotaStatus(quota: ResourceQuota, usage: ResourceAmounts): ResourceQuotaStatus | undefined {
  const hard = quota.spec?.hard ?? {};
  const { status } = quota;
  const counted = [...usage].map(([name, amount]) => [name, amount.toString()] as const);
  const used = Object.fromEntries(
    [...Object.entries(status?.used ?? {}), ...counted].filter(([name]) => Object.hasOwn(hard, name)),
  );
  const same = status?.used !== undefined && sameAmounts(status.hard, hard) && sameAmounts(status.used, used);
  return same ? undefined : { ...status, hard, used };
}

function sameAmounts(
  a: Readonly<Record<string, string>> | undefined,
  b: Readonly<Record<string, string>> | undefined,
): boolean {
  const [left, right] = [amountsOf(a), amountsOf(b)];
  if (left.size !== right.size) return false;
  return [...left].every(([name, amount]) => right.get(name)?.equals(amount));
}
