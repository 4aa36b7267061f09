import { amountsOf, type ResourceAmounts, type ResourceQuota, type ResourceQuotaStatus } from '@coracle/api';

/** The status that a quota should have, given what is in use; `undefined` if it has it. */
export function quotaStatus(quota: ResourceQuota, usage: ResourceAmounts): ResourceQuotaStatus | undefined {
  const hard = quota.spec?.hard ?? {};
  const used = Object.fromEntries(
    [...usage].filter(([name]) => Object.hasOwn(hard, name)).map(([name, amount]) => [name, amount.toString()]),
  );
  const { status } = quota;
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
