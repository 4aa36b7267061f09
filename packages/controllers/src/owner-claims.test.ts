import { type KubeObject, LabelSelector, notFound } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { claim, planClaim } from './owner-claims.js';

const selector = LabelSelector.fromLabels({ app: 'web' });
const owner: KubeObject = { metadata: { name: 'web', namespace: 'default', uid: 'owner' } };
const leaving: KubeObject = { metadata: { ...owner.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };

function dependent(parts: KubeObject['metadata'] & { by?: string }): KubeObject {
  const { by, ...metadata } = parts;
  const reference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: by ?? '', controller: true };
  return {
    metadata: { name: 'p', namespace: 'default', uid: 'p', ...metadata, ...(by && { ownerReferences: [reference] }) },
  };
}

const labels = { app: 'web' };

describe('RS-22 what an owner does with an object', () => {
  const cases: { name: string; object: KubeObject; by?: KubeObject; claim: string }[] = [
    { name: 'its own that matches stays', object: dependent({ by: 'owner', labels }), claim: 'own' },
    { name: 'its own that no longer matches is released', object: dependent({ by: 'owner' }), claim: 'release' },
    {
      name: 'nothing is released by an owner that goes',
      object: dependent({ by: 'owner' }),
      by: leaving,
      claim: 'ignore',
    },
    { name: 'an orphan that matches is adopted', object: dependent({ labels }), claim: 'adopt' },
    { name: 'an orphan that does not match is left', object: dependent({}), claim: 'ignore' },
    { name: 'nothing is adopted by an owner that goes', object: dependent({ labels }), by: leaving, claim: 'ignore' },
    {
      name: 'an orphan that goes is left',
      object: dependent({ labels, deletionTimestamp: '2026-01-01T00:00:00Z' }),
      claim: 'ignore',
    },
    { name: 'what belongs to another is never touched', object: dependent({ by: 'other', labels }), claim: 'ignore' },
    { name: 'another namespace is another world', object: dependent({ namespace: 'other', labels }), claim: 'ignore' },
  ];

  test.each(cases)('$name', ({ object, by = owner, claim: expected }) => {
    expect(planClaim(object, by, selector)).toBe(expected);
  });
});

describe('claiming', () => {
  function setUp(options: { fresh?: KubeObject; fail?: (object: KubeObject) => Error | undefined } = {}) {
    const patches: unknown[] = [];
    let reads = 0;
    const result = (objects: KubeObject[]) =>
      claim(objects, {
        owner,
        ownerKind: { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
        selector,
        freshOwner: async () => {
          reads++;
          return options.fresh ?? owner;
        },
        patch: async (object, patch) => {
          const error = options.fail?.(object);
          if (error) throw error;
          patches.push(patch);
          return object;
        },
      });
    return { patches, result, reads: () => reads };
  }

  test('RS-24 adopts as controller, with the uid of the object', async () => {
    const { patches, result } = setUp();
    await result([dependent({ labels })]);

    const reference = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      name: 'web',
      uid: 'owner',
      controller: true,
      blockOwnerDeletion: true,
    };
    expect(patches).toEqual([{ metadata: { uid: 'p', ownerReferences: [reference] } }]);
  });

  test('releases by taking out its own reference alone', async () => {
    const { patches, result } = setUp();
    expect(await result([dependent({ by: 'owner' })])).toEqual([]);

    expect(patches).toEqual([{ metadata: { uid: 'p', ownerReferences: [{ $patch: 'delete', uid: 'owner' }] } }]);
  });

  test('RS-23 reads the owner from the API server once, and only if there is something to adopt', async () => {
    const many = setUp();
    await many.result([dependent({ labels }), dependent({ labels, name: 'q', uid: 'q' })]);
    const none = setUp();
    await none.result([dependent({ by: 'owner', labels })]);

    expect([many.reads(), none.reads()]).toEqual([1, 0]);
  });

  test.each([
    { name: 'another has its name', fresh: { metadata: { ...owner.metadata, uid: 'new' } } },
    { name: 'it goes', fresh: leaving },
  ])('adopts nothing when $name', async ({ fresh }) => {
    const { patches, result } = setUp({ fresh });

    expect({ owned: await result([dependent({ labels })]), patches }).toEqual({ owned: [], patches: [] });
  });

  test('an object that was deleted meanwhile is not claimed', async () => {
    const { result } = setUp({ fail: () => notFound({ group: '', resource: 'pods' }, 'p') });

    expect(await result([dependent({ labels })])).toEqual([]);
  });

  test('a failure for one does not prevent the others from being claimed', async () => {
    const { patches, result } = setUp({ fail: ({ metadata }) => (metadata.uid === 'p' ? new Error('no') : undefined) });

    await expect(result([dependent({ labels }), dependent({ labels, name: 'q', uid: 'q' })])).rejects.toThrow('no');
    expect(patches).toHaveLength(1);
  });
});
