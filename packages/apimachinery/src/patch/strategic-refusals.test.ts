import { deepFreeze } from '@coracle/base';
import { expect, it } from 'vitest';
import type { StatusError } from '../status-error.js';
import { containers, finalizers, log, ordered, pod, web } from './patch-cases.fixture.js';
import { applyStrategicMergePatch } from './strategic-merge-patch.js';

interface Refusal {
  readonly why: string;
  readonly original: object;
  readonly patch: unknown;
  readonly code: number;
  readonly says: string;
}

const refusals: Refusal[] = [
  { why: 'a patch that is no object', original: {}, patch: [], code: 400, says: 'cannot unmarshal' },
  {
    why: 'an unknown directive in an object',
    original: {},
    patch: { $patch: 'explode' },
    code: 500,
    says: 'unknown patch type explode in map: map[$patch:explode]',
  },
  {
    why: 'merge as a directive of an object',
    original: {},
    patch: { $patch: 'merge' },
    code: 500,
    says: 'unknown patch type merge in map',
  },
  {
    why: 'an unknown directive in an item',
    original: containers(web),
    patch: containers({ name: 'web', $patch: 'explode' }),
    code: 500,
    says: 'unknown patch type explode in map: map[$patch:explode name:web]',
  },
  {
    why: 'merge as a directive of an item',
    original: containers(web),
    patch: containers({ name: 'web', $patch: 'merge' }),
    code: 500,
    says: 'merging lists cannot yet be specified in the patch',
  },
  {
    why: 'an item without its merge key',
    original: containers(web),
    patch: containers({ image: 'x' }),
    code: 500,
    says: 'map: map[image:x] does not contain declared merge key: name',
  },
  {
    why: 'a deletion without the merge key',
    original: containers(web),
    patch: containers({ $patch: 'delete' }),
    code: 500,
    says: 'does not contain declared merge key: name',
  },
  {
    why: 'values among objects',
    original: containers(web),
    patch: { spec: { containers: ['x'] } },
    code: 500,
    says: 'list element types are not identical: [[map[image:web:1 name:web]] [x]]',
  },
  {
    why: 'null among objects',
    original: containers(web),
    patch: { spec: { containers: [null] } },
    code: 500,
    says: 'list element types are not identical: [[map[image:web:1 name:web]] [<nil>]]',
  },
  {
    why: 'lists in a merged list',
    original: finalizers('a'),
    patch: { metadata: { finalizers: [['b']] } },
    code: 422,
    says: 'the server rejected our request',
  },
  {
    why: 'a field that $retainKeys does not name',
    original: { spec: { volumes: [{ name: 'v' }] } },
    patch: { spec: { volumes: [{ name: 'v', $retainKeys: ['name'], emptyDir: {} }] } },
    code: 400,
    says: 'invalid patch format of retainKeys',
  },
  {
    why: '$retainKeys that is no list',
    original: { spec: {} },
    patch: { spec: { $retainKeys: 'name' } },
    code: 400,
    says: 'invalid patch format of retainKeys',
  },
  {
    why: '$deleteFromPrimitiveList without a field',
    original: finalizers('a'),
    patch: { metadata: { $deleteFromPrimitiveList: ['a'] } },
    code: 400,
    says: 'invalid patch format of primitive list',
  },
  {
    why: '$setElementOrder without a field',
    original: containers(web),
    patch: { spec: { $setElementOrder: [] } },
    code: 400,
    says: 'invalid patch format of setElementOrder list',
  },
  {
    why: '$setElementOrder that is no list',
    original: containers(web),
    patch: { spec: { '$setElementOrder/containers': 'web' } },
    code: 500,
    says: 'expected a []interface {}, but received a string',
  },
  {
    why: 'an order that lacks an item of the patch',
    original: containers(web),
    patch: ordered(['web'], log),
    code: 500,
    says: 'The order in patch list',
  },
  {
    why: 'an order other than that of the patch',
    original: containers(web, log),
    patch: ordered(['log', 'web'], web, log),
    code: 500,
    says: "doesn't match $setElementOrder list",
  },
  {
    why: 'objects in a field that the type does not have',
    original: { zz: {} },
    patch: { zz: {} },
    code: 500,
    says: 'unable to find api field in struct Pod for the json field "zz"',
  },
];

it.each(refusals)('a strategic merge patch is refused: $why', ({ original, patch, code, says }) => {
  let refused: StatusError | undefined;
  try {
    applyStrategicMergePatch(deepFreeze(original), deepFreeze(patch), pod);
  } catch (error) {
    refused = error as StatusError;
  }
  expect(refused?.status.code).toBe(code);
  expect(refused?.message).toContain(says);
});
