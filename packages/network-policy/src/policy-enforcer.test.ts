import { Activity, seededRandom, silentLogger } from '@coracle/base';
import { createInformers } from '@coracle/client';
import { startCluster } from '@coracle/cluster';
import { expect, test } from 'vitest';
import { PolicyEnforcer } from './policy-enforcer.js';

async function setUp() {
  const cluster = await startCluster({ listen: false, nodes: 0, clock: 'virtual' });
  const { client, clock } = cluster;
  const writes: string[] = [];
  const table = { isThere: true };
  const shared = { clock, logger: silentLogger };
  const informers = createInformers({ ...shared, client, random: seededRandom(1) });
  const enforcer = new PolicyEnforcer({
    ...shared,
    informers,
    nodeName: 'node',
    dnsPort: 10_053,
    activity: new Activity(),
    apply: async (statements) => {
      writes.push(statements);
      table.isThere = true;
    },
    hasTable: async () => table.isThere,
  });
  informers.start();
  await cluster.settled();
  const isolate = async () => {
    const spec = { podSelector: {}, policyTypes: ['Ingress'] };
    await client.networkPolicies('default').create({ metadata: { name: 'closed' }, spec });
    await cluster.settled();
  };
  const stop = async () => {
    await enforcer[Symbol.asyncDispose]();
    await informers[Symbol.asyncDispose]();
    await cluster.stop();
  };
  return { clock, writes, table, isolate, [Symbol.asyncDispose]: stop };
}

test('rules of an earlier process are removed, even without a policy', async () => {
  await using subject = await setUp();
  expect(subject.writes).toEqual(['add table inet coracle-policy\ndelete table inet coracle-policy\n']);
  await subject.clock.advance('5m');
  expect(subject.writes).toHaveLength(1);
});

test('rules that another program has flushed are written again', async () => {
  await using subject = await setUp();
  await subject.isolate();
  const before = subject.writes.length;
  await subject.clock.advance('2m');
  expect(subject.writes).toHaveLength(before);
  subject.table.isThere = false;
  await subject.clock.advance('31s');
  expect(subject.writes.slice(before)).toEqual([expect.stringContaining('table inet coracle-policy {')]);
});
