import type { Lease, Node } from '@coracle/api';
import { alreadyExists, conflict, notFound } from '@coracle/apimachinery';
import { Activity, seededRandom, silentLogger, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { type FakeAnswer, fakeApi, sentBody } from './fake-api.fixture.js';
import { NodeLease } from './node-lease.js';
import { defaultSettings } from './settings.js';

const leases = { group: 'coordination.k8s.io', resource: 'leases' };
const registered: Node = { metadata: { name: 'n', uid: 'node-uid' } };
const lost: FakeAnswer = () => {
  throw new Error('connection lost');
};
const gone: FakeAnswer = () => {
  throw notFound(leases, 'n');
};
const held: Lease = { metadata: { name: 'n', namespace: 'kube-node-lease', resourceVersion: '7' }, spec: {} };

/** Each request gets the next of `answers`; after those, its own body. */
function lease(answers: FakeAnswer[], node: () => Node | undefined = () => registered, firstLeaseWithin = 0) {
  const clock = new VirtualClock();
  const sent: Lease[] = [];
  const { client, requests } = fakeApi((request) => {
    sent.push(sentBody(request) as Lease);
    return (answers.shift() ?? sentBody)(request);
  });
  const options = { nodeName: 'n', client, clock, random: seededRandom(1), logger: silentLogger, node };
  const disposable = new NodeLease({
    ...options,
    firstLeaseWithin,
    settings: defaultSettings,
    activity: new Activity(),
  });
  return { clock, sent, disposable, methods: () => requests.splice(0).map((line) => line.split(' ')[0]) };
}

describe('NodeLease', () => {
  test('K33.4 is created for the node, which owns it, and renewed every ten seconds', async () => {
    const { clock, sent, methods } = lease([]);
    await clock.advance(31_500);
    expect(methods()).toEqual(['POST', 'PUT', 'PUT', 'PUT']);
    expect(sent[0]).toMatchObject({
      metadata: { name: 'n', ownerReferences: [{ kind: 'Node', uid: 'node-uid' }] },
      spec: { holderIdentity: 'n', leaseDurationSeconds: 40 },
    });
  });

  test('of one node among thousands is first written within the given time', async () => {
    const { clock, methods } = lease([], undefined, 25_000);
    await clock.settle();
    expect(methods()).toEqual([]);
    await clock.advance(25_000);
    expect(methods()[0]).toBe('POST');
    await clock.advance(10_500);
    expect(methods()).toEqual(['PUT']);
  });

  test('K33.4 a renewal is tried five times without delay', async () => {
    const { clock, methods } = lease([sentBody, lost, lost, lost, lost]);
    await clock.advance(10_500);
    expect(methods()).toEqual(['POST', 'PUT', 'PUT', 'PUT', 'PUT', 'PUT']);
  });

  test('K33.4 a lease that cannot be acquired is retried after 100 ms, and then with backoff', async () => {
    const { clock, methods } = lease(Array.from({ length: 6 }, () => lost));
    await clock.settle();
    expect(methods()).toHaveLength(1);
    for (const delayMs of [100, 200, 400, 800, 1_600]) {
      await clock.advance(delayMs - 1);
      expect(methods()).toEqual([]);
      await clock.advance(1);
      expect(methods()).toEqual(['POST']);
    }
    await clock.advance(3_200);
    expect(methods()).toEqual(['POST']);
    // It holds its lease now, and waits for the next renewal.
    await clock.advance(3_000);
    expect(methods()).toEqual([]);
  });

  test('adopts an existing lease, with changes of others', async () => {
    const exists: FakeAnswer = () => {
      throw alreadyExists(leases, 'n');
    };
    const outdated: FakeAnswer = () => {
      throw conflict(leases, 'n', 'the object has been modified');
    };
    const { clock, sent, methods } = lease([exists, () => held, outdated, () => held]);
    await clock.settle();
    expect(methods()).toEqual(['POST', 'GET', 'PUT', 'GET', 'PUT']);
    expect(sent.at(-1)?.metadata.resourceVersion).toBe('7');
  });

  test('creates a deleted lease again', async () => {
    const { clock, methods } = lease([sentBody, gone, gone]);
    await clock.advance(10_500);
    expect(methods()).toEqual(['POST', 'PUT', 'GET', 'POST']);
  });

  test('is not created before the node is registered', async () => {
    let node: Node | undefined;
    const { clock, methods } = lease([], () => node);
    await clock.advance(50);
    expect(methods()).toEqual([]);
    node = registered;
    await clock.advance(50);
    expect(methods()).toEqual(['POST']);
  });

  test('sends no more requests once it is disposed', async () => {
    const { clock, disposable } = lease([lost]);
    await clock.settle();
    disposable[Symbol.dispose]();
    expect(clock.pending).toBe(0);
  });
});
