import type { Node } from '@coracle/api';
import { expect, test } from 'vitest';
import { admit, thing } from './admit.fixture.js';
import { taintNodesByCondition } from './taint-nodes-by-condition.js';

test('ADM-18 a new node is not ready', async () => {
  const { object } = await admit(taintNodesByCondition, {
    resource: 'nodes',
    namespace: '',
    object: thing('Node', 'n'),
  });

  expect((object as Node).spec?.taints).toEqual([{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }]);
});
