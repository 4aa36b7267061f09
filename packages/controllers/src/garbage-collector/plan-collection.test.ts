import { describe, expect, test } from 'vitest';
import { type CollectionPlan, type CollectionView, type OwnerState, planCollection } from './plan-collection.js';

const owner = (uid: string, state: OwnerState): CollectionView['owners'][number] => ({
  reference: { apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid },
  state,
});
const deletion = (propagation: 'Background' | 'Foreground' | 'Orphan', unblock = false): CollectionPlan => ({
  kind: 'delete',
  propagation,
  unblock,
});

describe('planCollection', () => {
  const cases: { name: string; view: Partial<CollectionView>; plan: CollectionPlan }[] = [
    { name: 'keeps what has no owner', view: {}, plan: { kind: 'keep' } },
    { name: 'keeps what all owners keep', view: { owners: [owner('a', 'solid')] }, plan: { kind: 'keep' } },
    {
      name: 'GC-26 keeps what one owner keeps, and forgets the others',
      view: { owners: [owner('a', 'solid'), owner('b', 'dangling'), owner('c', 'waiting')] },
      plan: { kind: 'unlink', uids: ['b', 'c'] },
    },
    {
      name: 'GC-28 deletes in the background what has lost all owners',
      view: { owners: [owner('a', 'dangling')], dependents: [{ deletingDependents: false }] },
      plan: deletion('Background'),
    },
    {
      name: 'GC-28 deletes as was requested before: orphan',
      view: { owners: [owner('a', 'dangling')], finalizers: ['orphan'] },
      plan: deletion('Orphan'),
    },
    {
      name: 'GC-28 deletes as was requested before: foreground',
      view: { owners: [owner('a', 'dangling')], finalizers: ['foregroundDeletion'] },
      plan: deletion('Foreground'),
    },
    {
      name: 'GC-27 deletes in the foreground what is waited for and has dependents',
      view: { owners: [owner('a', 'waiting')], dependents: [{ deletingDependents: false }] },
      plan: deletion('Foreground'),
    },
    {
      name: 'GC-27 lets owners not wait where they may be waiting in a circle',
      view: { owners: [owner('a', 'waiting')], dependents: [{ deletingDependents: true }] },
      plan: deletion('Foreground', true),
    },
    {
      name: 'deletes in the background what is waited for and has no dependents',
      view: { owners: [owner('a', 'waiting')] },
      plan: deletion('Background'),
    },
  ];

  test.each(cases)('$name', ({ view, plan }) => {
    expect(planCollection({ owners: [], dependents: [], finalizers: [], ...view })).toEqual(plan);
  });
});
