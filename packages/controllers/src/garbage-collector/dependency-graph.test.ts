import type { ObjectMeta, OwnerReference } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { AbsentOwners } from './absent-owners.js';
import { coordinatesOf, DependencyGraph } from './dependency-graph.js';

const type = { apiVersion: 'v1', kind: 'ConfigMap' };

function setUp() {
  const requests: string[] = [];
  const graph = new DependencyGraph({
    attemptToDelete: ({ uid }) => void requests.push(`delete ${uid}`),
    attemptToOrphan: ({ uid }) => void requests.push(`orphan ${uid}`),
    invalidNamespace: ({ uid }) => void requests.push(`invalid ${uid}`),
  });
  const observe = (uid: string, owners: readonly (string | OwnerReference)[] = [], more: Partial<ObjectMeta> = {}) =>
    graph.observe(type, {
      metadata: { uid, name: uid, namespace: 'ns', ownerReferences: owners.map(toReference), ...more },
    });
  const takeAsked = () => requests.splice(0);
  return { graph, observe, takeAsked };
}

function toReference(owner: string | OwnerReference): OwnerReference {
  return typeof owner === 'string' ? { ...type, name: owner, uid: owner, blockOwnerDeletion: true } : owner;
}

const deletionTimestamp = '2026-01-01T00:00:00Z';

describe('DependencyGraph', () => {
  test('GC-18 enqueues dependents when their owner is deleted', () => {
    const { graph, observe, takeAsked } = setUp();
    observe('a');
    observe('b', ['a']);
    observe('c', ['a']);
    expect(takeAsked()).toEqual([]);

    graph.remove('a');
    expect(takeAsked()).toEqual(['delete b', 'delete c']);
  });

  test('GC-16 looks up an owner that no informer has observed, until it is', () => {
    const { graph, observe, takeAsked } = setUp();
    observe('b', ['a']);
    expect(takeAsked()).toEqual(['delete a']);
    expect(graph.get('a')?.virtual).toBe(true);

    observe('a');
    expect(takeAsked()).toEqual([]);
    expect(graph.get('a')?.virtual).toBe(false);
  });

  test('GC-22 enqueues the dependents of an owner that does not exist', () => {
    const { graph, observe, takeAsked } = setUp();
    observe('b', ['a']);
    const virtual = graph.get('a');
    takeAsked();
    if (virtual) graph.removeVirtual(virtual, coordinatesOf(virtual));

    expect(takeAsked()).toEqual(['delete b']);
    expect(graph.get('a')).toBeUndefined();
    expect(graph.absent.has({ ...toReference('a'), namespace: 'ns' })).toBe(true);
  });

  test('looks for an absent owner where other references say that it is', () => {
    const { graph, observe, takeAsked } = setUp();
    observe('b', [{ ...toReference('a'), name: 'wrong' }]);
    observe('c', ['a']);
    const virtual = graph.get('a');
    takeAsked();
    if (virtual) graph.removeVirtual(virtual, coordinatesOf(virtual));

    expect(takeAsked()).toEqual(['delete b', 'delete a']);
    expect(graph.get('a')?.name).toBe('a');
  });

  test('reports owners in other namespaces, and enqueues their dependents', () => {
    const { observe, takeAsked } = setUp();
    observe('a', [], { namespace: 'other' });
    observe('b', ['a']);
    expect(takeAsked()).toEqual(['invalid b', 'delete b']);
  });

  test('allows cluster-scoped owners', () => {
    const { graph, observe, takeAsked } = setUp();
    graph.observe(type, { metadata: { uid: 'a', name: 'a' } });
    observe('b', ['a']);
    expect(takeAsked()).toEqual([]);
  });

  test('GC-17 enqueues an owner that no longer has to wait for a dependent', () => {
    const { observe, takeAsked } = setUp();
    observe('a');
    observe('b', ['a']);
    observe('b', [{ ...toReference('a'), blockOwnerDeletion: false }]);
    expect(takeAsked()).toEqual(['delete a']);
  });

  test('GC-17 enqueues an object whose reference to an existing owner changes', () => {
    const { observe, takeAsked } = setUp();
    observe('a');
    observe('b', ['a']);
    observe('b', [{ ...toReference('a'), name: 'wrong' }]);
    expect(takeAsked()).toEqual(['delete b']);
  });

  test('GC-17 uses the corrected reference when the owner does not exist at the coordinates of the first one', () => {
    const { graph, observe, takeAsked } = setUp();
    observe('b', [{ ...toReference('a'), name: 'wrong' }]);
    const virtual = graph.get('a');
    observe('b', ['a']);
    takeAsked();
    if (virtual) graph.removeVirtual(virtual, coordinatesOf(virtual));
    expect(takeAsked()).toEqual(['delete a']);
    expect(graph.get('a')?.name).toBe('a');
  });

  test('GC-19 begins a foreground deletion once', () => {
    const { observe, takeAsked } = setUp();
    observe('a');
    observe('b', ['a']);
    for (let event = 0; event < 2; event++) observe('a', [], { deletionTimestamp, finalizers: ['foregroundDeletion'] });
    expect(takeAsked()).toEqual(['delete b', 'delete a']);
  });

  test('GC-19 begins to orphan once, and does nothing else', () => {
    const { observe, takeAsked } = setUp();
    observe('a');
    observe('b', ['a']);
    for (let event = 0; event < 2; event++) observe('a', [], { deletionTimestamp, finalizers: ['orphan'] });
    expect(takeAsked()).toEqual(['orphan a']);
  });

  test('GC-18 enqueues an owner in foreground deletion whenever a dependent is deleted', () => {
    const { graph, observe, takeAsked } = setUp();
    observe('a', [], { deletionTimestamp, finalizers: ['foregroundDeletion'] });
    observe('b', ['a']);
    takeAsked();
    graph.remove('b');
    expect(takeAsked()).toEqual(['delete a']);
  });

  test('GC-10 keeps nothing of deleted objects', () => {
    const { graph, observe } = setUp();
    observe('a');
    observe('b', ['a', 'never-seen']);
    graph.remove('b');
    graph.remove('a');
    expect(graph.size).toBe(0);
  });
});

test('GC-11 AbsentOwners drops, beyond five hundred, the least recently used one', () => {
  const absent = new AbsentOwners();
  const at = (uid: string) => ({ ...type, namespace: '', name: uid, uid });
  for (let i = 0; i < 500; i++) absent.add(at(String(i)));
  absent.has(at('0'));
  absent.add(at('500'));
  expect(['0', '1', '2', '500'].map((uid) => absent.has(at(uid)))).toEqual([true, false, true, true]);
});
