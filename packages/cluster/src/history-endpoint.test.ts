import { expect, test } from 'vitest';
import { startCluster } from './start-cluster.js';

interface History {
  readonly now: number;
  readonly moments: readonly { readonly revision: number; readonly at: number }[];
}

test('the moments of the history can be read, until they are compacted', async () => {
  const cluster = await startCluster({
    listen: false,
    clock: 'virtual',
    nodes: 0,
    traces: true,
    compactionIntervalMs: 60_000,
    historyMs: 30_000,
  });
  try {
    const maps = cluster.client.configMaps('default');
    const history = async () => (await cluster.client.raw('GET', '/debug/coracle/history')).body as History;
    const before = (await history()).moments.at(-1)?.revision ?? 0;
    await maps.create({ metadata: { name: 'later' } });
    await cluster.clock.advance('4s');
    const { moments } = await history();
    const after = moments.at(-1)?.revision ?? 0;
    expect(after).toBeGreaterThan(before);
    expect(moments.map(({ at }) => at)).toEqual(moments.map(({ at }) => at).toSorted((a, b) => a - b));
    const namesAt = async (revision: number) => {
      const list = await maps.list({ resourceVersion: String(revision), resourceVersionMatch: 'Exact' });
      return list.items.map(({ metadata }) => metadata.name);
    };
    expect([await namesAt(before), await namesAt(after)].map((names) => names.includes('later'))).toEqual([
      false,
      true,
    ]);
    for (let i = 0; i < 5; i++) {
      await maps.patch('later', { data: { i: String(i) } }, { type: 'merge' });
      await cluster.clock.advance('1m');
    }
    expect((await history()).moments[0]?.revision).toBeGreaterThan(before);
  } finally {
    await cluster.stop();
  }
});

test('a virtual clock is moved by a request, a real one is not', async () => {
  const virtual = await startCluster({ listen: false, clock: 'virtual', nodes: 0 });
  const real = await startCluster({ listen: false, nodes: 0 });
  try {
    const began = virtual.clock.now();
    const moved = await virtual.client.raw('POST', '/debug/coracle/clock?advance=10m');
    // The response does not wait for the clock, which advances in separate turns.
    for (let turns = 0; turns < 100_000 && virtual.clock.now() - began < 600_000; turns++)
      await new Promise((resolve) => setImmediate(resolve));
    expect([moved.status, virtual.clock.now() - began]).toEqual([200, 600_000]);
    const refusals = await Promise.all([
      real.client.raw('POST', '/debug/coracle/clock?advance=10m'),
      virtual.client.raw('POST', '/debug/coracle/clock?advance=soon'),
      virtual.controlPlane.clientFor('somebody').raw('POST', '/debug/coracle/clock?advance=1s'),
    ]);
    expect(refusals.map(({ status }) => status)).toEqual([400, 400, 403]);
    expect((await real.client.raw('GET', '/debug/coracle/clock')).body).toMatchObject({ isVirtual: false });
  } finally {
    await virtual.stop();
    await real.stop();
  }
});
