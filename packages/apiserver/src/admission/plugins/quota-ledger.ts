import { amountsOf, plus, type ResourceAmounts, type ResourceQuota, refs } from '@coracle/api';
import { isNotFound, type StatusError } from '@coracle/apimachinery';
import type { ObjectWriter } from '../../object-reader.js';

/** The charge for one object, and the error if a quota does not allow it. */
export interface Charge {
  /** A negative charge is always allowed. */
  readonly amounts: ResourceAmounts;
  refuse(message: string): StatusError;
}

interface Pending extends Charge {
  refusal: StatusError | undefined;
  readonly settle: (outcome: { readonly refusal?: StatusError; readonly failure?: unknown }) => void;
}

/**
 * Writes charges into the status of quotas, never beyond the limits. Each charge is checked against the version of the
 * quota that it updates, so any number of servers can charge concurrently. Charges that arrive during a write wait, and
 * are then written together.
 */
export class QuotaLedger {
  readonly #writer: ObjectWriter;
  /** `namespace/quota` → charges that wait for the current write. */
  readonly #waiting = new Map<string, Pending[]>();

  constructor(writer: ObjectWriter) {
    this.#writer = writer;
  }

  /** Resolves when the charge is written; rejects if the quota does not allow it. */
  charge(namespace: string, quota: string, charge: Charge): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle: Pending['settle'] = ({ refusal, failure }) => {
        const error = refusal ?? failure;
        if (error === undefined) resolve();
        else reject(error);
      };
      const pending: Pending = { ...charge, refusal: undefined, settle };
      const key = `${namespace}/${quota}`;
      const others = this.#waiting.get(key);
      if (others) others.push(pending);
      else {
        this.#waiting.set(key, [pending]);
        void this.#writeAll(namespace, quota, key);
      }
    });
  }

  async #writeAll(namespace: string, quota: string, key: string): Promise<void> {
    for (let batch = this.#waiting.get(key) ?? []; batch.length > 0; batch = this.#waiting.get(key) ?? []) {
      this.#waiting.set(key, []);
      await this.#write(namespace, quota, batch);
    }
    this.#waiting.delete(key);
  }

  async #write(namespace: string, name: string, batch: readonly Pending[]): Promise<void> {
    try {
      await this.#writer.updateStatus(refs.resourceQuotas, namespace, name, (quota) => applyCharges(quota, batch));
      for (const { settle, refusal } of batch) settle(refusal ? { refusal } : {});
    } catch (failure) {
      // A quota that has just been deleted limits nothing.
      for (const { settle } of batch) settle(isNotFound(failure) ? {} : { failure });
    }
  }
}

/** The quota with as many charges as it allows, each marked as accepted or rejected. */
function applyCharges(quota: ResourceQuota, batch: readonly Pending[]): ResourceQuota {
  const used = amountsOf(quota.status?.used);
  const hard = quota.status?.hard ?? {};
  for (const pending of batch) {
    const message = excess(quota, used, pending.amounts);
    pending.refusal = message === undefined ? undefined : pending.refuse(message);
    if (pending.refusal) continue;
    for (const [name, amount] of pending.amounts) {
      if (Object.hasOwn(hard, name)) used.set(name, plus(used.get(name), amount));
    }
  }
  const written = Object.fromEntries([...used].map(([name, amount]) => [name, amount.toString()]));
  return { ...quota, status: { ...quota.status, used: written } };
}

/** Why a quota does not allow a charge, or `undefined` if it does. */
export function excess(quota: ResourceQuota, used: ResourceAmounts, requested: ResourceAmounts): string | undefined {
  const hard = amountsOf(quota.status?.hard);
  const exceeded = [...hard.keys()].sort().filter((name) => {
    const amount = requested.get(name);
    const limit = hard.get(name);
    return amount && limit && amount.sign > 0 && plus(used.get(name), amount).compare(limit) > 0;
  });
  if (exceeded.length === 0) return undefined;
  const list = (amounts: ResourceAmounts) => exceeded.map((name) => `${name}=${amounts.get(name) ?? 0}`).join(',');
  const { name = '' } = quota.metadata;
  return `exceeded quota: ${name}, requested: ${list(requested)}, used: ${list(used)}, limited: ${list(hard)}`;
}
