import { amountsOf, type ResourceQuota } from '@coracle/api';
import { forbidden, type KubeObject, notFound } from '@coracle/apimachinery';
import { nextTurn } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import type { ObjectWriter } from '../../object-reader.js';
import { excess, QuotaLedger } from './quota-ledger.js';

const quota = (hard: Record<string, string>, used: Record<string, string>): ResourceQuota => ({
  metadata: { name: 'q', namespace: 'a' },
  status: { hard, used },
});
const charge = (amounts: Record<string, string>) => ({
  amounts: amountsOf(amounts),
  refuse: (message: string) => forbidden({ group: '', resource: 'pods' }, 'p', message),
});

/** A writer over one quota. `before` runs between reading and writing, as another writer would. */
function writerOver(state: { quota: ResourceQuota | undefined; writes: number }, before = () => {}): ObjectWriter {
  const unused = () => Promise.reject(new Error('not used'));
  const updateStatus = async <T extends KubeObject>(
    ...[, , name, change]: Parameters<ObjectWriter['updateStatus']>
  ) => {
    for (;;) {
      const read = state.quota;
      if (!read) throw notFound({ group: '', resource: 'resourcequotas' }, name);
      const next = change(read as never);
      before();
      await nextTurn();
      if (state.quota !== read) continue;
      state.quota = next as ResourceQuota;
      state.writes++;
      return next as T;
    }
  };
  return { create: unused, update: unused, delete: unused, updateStatus: updateStatus as ObjectWriter['updateStatus'] };
}

describe('QuotaLedger', () => {
  test('writes concurrent charges at once, and rejects those beyond the limit', async () => {
    const state = { quota: quota({ pods: '5' }, { pods: '1' }), writes: 0 };
    const ledger = new QuotaLedger(writerOver(state));
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => ledger.charge('a', 'q', charge({ pods: '1' }))),
    );
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual([
      ...Array(4).fill(true),
      ...Array(6).fill(false),
    ]);
    expect(state.quota.status?.used).toEqual({ pods: '5' });
    // The first charge alone, then all charges that arrived meanwhile.
    expect(state.writes).toBe(2);
  });

  test('checks against usage that another server has written meanwhile', async () => {
    const state = { quota: quota({ pods: '2' }, { pods: '1' }), writes: 0 };
    let others = 1;
    const ledger = new QuotaLedger(
      writerOver(state, () => {
        if (others-- > 0) state.quota = quota({ pods: '2' }, { pods: '2' });
      }),
    );
    await expect(ledger.charge('a', 'q', charge({ pods: '1' }))).rejects.toThrow(
      'exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2',
    );
  });

  test('accepts charges to a quota that was deleted', async () => {
    const ledger = new QuotaLedger(writerOver({ quota: undefined, writes: 0 }));
    await expect(ledger.charge('a', 'q', charge({ pods: '1' }))).resolves.toBeUndefined();
  });

  test('ignores resources that the quota does not limit', async () => {
    const state = { quota: quota({ pods: '2' }, { pods: '0' }), writes: 0 };
    await new QuotaLedger(writerOver(state)).charge('a', 'q', charge({ pods: '1', secrets: '1', constructor: '1' }));
    expect(state.quota.status?.used).toEqual({ pods: '1' });
  });
});

describe('excess', () => {
  const cases: {
    name: string;
    hard: Record<string, string>;
    used: Record<string, string>;
    requests: Record<string, string>;
    message: string | undefined;
  }[] = [
    {
      name: 'is none up to the last unit',
      hard: { pods: '2' },
      used: { pods: '1' },
      requests: { pods: '1' },
      message: undefined,
    },
    {
      name: 'names every exceeded resource, in order',
      hard: { pods: '1', cpu: '1' },
      used: { pods: '1', cpu: '600m' },
      requests: { pods: '1', cpu: '500m' },
      message: 'exceeded quota: q, requested: cpu=500m,pods=1, used: cpu=600m,pods=1, limited: cpu=1,pods=1',
    },
    {
      name: 'is none for what is given back, however much is in use',
      hard: { pods: '1' },
      used: { pods: '5' },
      requests: { pods: '-1' },
      message: undefined,
    },
    {
      name: 'is none for what is not requested',
      hard: { pods: '1' },
      used: { pods: '5' },
      requests: { cpu: '1' },
      message: undefined,
    },
  ];
  test.each(cases)('$name', ({ hard, used, requests, message }) => {
    expect(excess(quota(hard, used), amountsOf(used), amountsOf(requests))).toBe(message);
  });
});
