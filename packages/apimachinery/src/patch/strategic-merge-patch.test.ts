import { schemaOf } from '@coracle/api';
import { deepFreeze } from '@coracle/base';
import { describe, expect, it } from 'vitest';
import type { StatusError } from '../status-error.js';
import { applyStrategicMergePatch } from './strategic-merge-patch.js';

const pod = schemaOf('core-v1/Pod');
const deployment = schemaOf('apps-v1/Deployment');
const service = schemaOf('core-v1/Service');
const configMap = schemaOf('core-v1/ConfigMap');
const revision = schemaOf('apps-v1/ControllerRevision');

interface Case {
  readonly does: string;
  readonly schema?: typeof pod;
  readonly original: object;
  readonly patch: object;
  readonly gives: object;
}

/** A pod with these containers. */
const containers = (...list: object[]) => ({ spec: { containers: list } });
const [web, log, job] = [
  { name: 'web', image: 'web:1' },
  { name: 'log', image: 'log:1' },
  { name: 'job', image: 'job:1' },
];
const finalizers = (...list: string[]) => ({ metadata: { finalizers: list } });

const maps: Case[] = [
  {
    does: 'sets a scalar',
    original: { spec: { nodeName: 'a' } },
    patch: { spec: { nodeName: 'b' } },
    gives: { spec: { nodeName: 'b' } },
  },
  {
    does: 'adds to a map',
    original: { metadata: { labels: { a: '1' } } },
    patch: { metadata: { labels: { b: '2' } } },
    gives: { metadata: { labels: { a: '1', b: '2' } } },
  },
  {
    does: 'removes a key by null',
    original: { metadata: { labels: { a: '1', b: '2' } } },
    patch: { metadata: { labels: { a: null } } },
    gives: { metadata: { labels: { b: '2' } } },
  },
  {
    does: 'removes an object by null',
    original: { spec: { nodeName: 'a' }, metadata: {} },
    patch: { spec: null },
    gives: { metadata: {} },
  },
  {
    does: 'ignores a null for what is not there',
    original: { metadata: {} },
    patch: { metadata: { labels: null } },
    gives: { metadata: {} },
  },
  {
    does: 'drops nulls from what it adds',
    original: { metadata: {} },
    patch: { metadata: { labels: { a: null, b: '1' } } },
    gives: { metadata: { labels: { b: '1' } } },
  },
  {
    does: 'replaces a map by $patch',
    original: { metadata: { labels: { a: '1' } } },
    patch: { metadata: { labels: { $patch: 'replace', b: '2' } } },
    gives: { metadata: { labels: { b: '2' } } },
  },
  {
    does: 'empties a map by $patch',
    original: { metadata: { labels: { a: '1' } } },
    patch: { metadata: { labels: { $patch: 'delete' } } },
    gives: { metadata: { labels: {} } },
  },
  {
    does: 'replaces the whole object by $patch',
    original: { spec: { nodeName: 'a' } },
    patch: { $patch: 'replace', metadata: { name: 'x' } },
    gives: { metadata: { name: 'x' } },
  },
  {
    does: 'replaces a value by one of another type',
    original: { spec: { nodeName: 'a' } },
    patch: { spec: [] },
    gives: { spec: [] },
  },
  {
    does: 'adds an object where there was none',
    original: {},
    patch: { spec: { affinity: { podAffinity: {} } } },
    gives: { spec: { affinity: { podAffinity: {} } } },
  },
  {
    does: 'keeps what an empty patch does not name',
    original: { spec: { nodeName: 'a' } },
    patch: { spec: {} },
    gives: { spec: { nodeName: 'a' } },
  },
  {
    does: 'merges free-form values',
    schema: revision,
    original: { data: { a: { b: 1 } } },
    patch: { data: { a: { c: 2 } } },
    gives: { data: { a: { b: 1, c: 2 } } },
  },
  {
    does: 'merges maps of plain values',
    schema: configMap,
    original: { data: { a: '1', b: '2' } },
    patch: { data: { a: '3', b: null } },
    gives: { data: { a: '3' } },
  },
  {
    does: 'retains only the keys of $retainKeys',
    schema: deployment,
    original: { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } },
    patch: { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
    gives: { spec: { strategy: { type: 'Recreate' } } },
  },
  {
    does: 'merges what $retainKeys retains',
    schema: deployment,
    original: { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } },
    patch: { spec: { strategy: { $retainKeys: ['type', 'rollingUpdate'], rollingUpdate: { maxUnavailable: 2 } } } },
    gives: { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 2 } } } },
  },
  {
    does: 'lets $retainKeys name what nobody has',
    schema: deployment,
    original: { spec: { strategy: { type: 'Recreate' } } },
    patch: { spec: { strategy: { $retainKeys: ['rollingUpdate'] } } },
    gives: { spec: { strategy: {} } },
  },
  {
    does: 'lets a null stand beside $retainKeys',
    schema: deployment,
    original: { spec: { strategy: { type: 'Recreate', rollingUpdate: {} } } },
    patch: { spec: { strategy: { $retainKeys: ['type'], rollingUpdate: null } } },
    gives: { spec: { strategy: { type: 'Recreate' } } },
  },
];

const keyedLists: Case[] = [
  {
    does: 'merges an item by its key',
    original: containers(web, log),
    patch: containers({ name: 'log', image: 'log:2' }),
    gives: containers(web, { name: 'log', image: 'log:2' }),
  },
  {
    does: 'puts an added item where the patch has it',
    original: containers(web),
    patch: containers(log),
    gives: containers(log, web),
  },
  {
    does: 'keeps the fields that an item of the patch does not name',
    original: containers({ ...web, stdin: true }),
    patch: containers({ name: 'web', image: 'web:2' }),
    gives: containers({ name: 'web', image: 'web:2', stdin: true }),
  },
  {
    does: 'removes a field of an item by null',
    original: containers({ ...web, stdin: true }),
    patch: containers({ name: 'web', stdin: null }),
    gives: containers(web),
  },
  {
    does: 'deletes an item by $patch',
    original: containers(web, log),
    patch: containers({ name: 'web', $patch: 'delete' }),
    gives: containers(log),
  },
  {
    does: 'deletes every item with the key',
    original: containers(web, log, web),
    patch: containers({ name: 'web', $patch: 'delete' }),
    gives: containers(log),
  },
  {
    does: 'ignores the deletion of an item that is not there',
    original: containers(log),
    patch: containers({ name: 'web', $patch: 'delete' }),
    gives: containers(log),
  },
  {
    does: 'deletes one item and adds another',
    original: containers(web, log),
    patch: containers({ name: 'web', $patch: 'delete' }, job),
    gives: containers(job, log),
  },
  {
    does: 'replaces the list by $patch in an item',
    original: containers(web, log),
    patch: containers(job, { $patch: 'replace' }),
    gives: containers(job),
  },
  {
    does: 'empties the list by $patch alone',
    original: containers(web, log),
    patch: containers({ $patch: 'replace' }),
    gives: containers(),
  },
  {
    does: 'replaces an item by $patch inside of it',
    original: { spec: { containers: [{ ...web, resources: { limits: { cpu: '1' } } }] } },
    patch: containers({ name: 'web', resources: { $patch: 'replace', requests: { cpu: '2' } } }),
    gives: containers({ ...web, resources: { requests: { cpu: '2' } } }),
  },
  { does: 'adds a list where there was none', original: { spec: {} }, patch: containers(web), gives: containers(web) },
  { does: 'keeps the list for an empty one', original: containers(web), patch: containers(), gives: containers(web) },
  {
    does: 'removes a list by null',
    original: { spec: { containers: [web], nodeName: 'a' } },
    patch: { spec: { containers: null } },
    gives: { spec: { nodeName: 'a' } },
  },
  {
    does: 'merges ports by containerPort alone',
    original: containers({ name: 'web', ports: [{ containerPort: 53, protocol: 'TCP' }] }),
    patch: containers({ name: 'web', ports: [{ containerPort: 53, protocol: 'UDP' }] }),
    gives: containers({ name: 'web', ports: [{ containerPort: 53, protocol: 'UDP' }] }),
  },
  {
    does: 'merges service ports by port',
    schema: service,
    original: { spec: { ports: [{ port: 80, name: 'http' }] } },
    patch: { spec: { ports: [{ port: 80, targetPort: 8080 }] } },
    gives: { spec: { ports: [{ port: 80, name: 'http', targetPort: 8080 }] } },
  },
  {
    does: 'merges lists in items of lists',
    original: containers({
      name: 'web',
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ],
    }),
    patch: containers({ name: 'web', env: [{ name: 'B', value: '3' }] }),
    gives: containers({
      name: 'web',
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '3' },
      ],
    }),
  },
  {
    does: 'deletes in lists in items of lists',
    original: containers({ name: 'web', env: [{ name: 'A' }, { name: 'B' }] }),
    patch: containers({ name: 'web', env: [{ name: 'A', $patch: 'delete' }] }),
    gives: containers({ name: 'web', env: [{ name: 'B' }] }),
  },
  {
    does: 'replaces lists that have no strategy',
    original: { spec: { tolerations: [{ key: 'a' }] } },
    patch: { spec: { tolerations: [{ key: 'b' }] } },
    gives: { spec: { tolerations: [{ key: 'b' }] } },
  },
  {
    does: 'replaces lists of values that have no strategy',
    original: containers({ name: 'web', args: ['a', 'b'] }),
    patch: containers({ name: 'web', args: ['c'] }),
    gives: containers({ name: 'web', args: ['c'] }),
  },
  {
    does: 'empties a list that has no strategy',
    original: containers({ name: 'web', args: ['a', 'b'] }),
    patch: containers({ name: 'web', args: [] }),
    gives: containers({ name: 'web', args: [] }),
  },
  {
    does: 'changes the kind of a volume by $retainKeys',
    original: { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
    patch: { spec: { volumes: [{ name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x' } }] } },
    gives: { spec: { volumes: [{ name: 'v', hostPath: { path: '/x' } }] } },
  },
  {
    does: 'adds host aliases by ip',
    original: { spec: { hostAliases: [{ ip: '1.1.1.1', hostnames: ['a'] }] } },
    patch: { spec: { hostAliases: [{ ip: '2.2.2.2' }] } },
    gives: { spec: { hostAliases: [{ ip: '2.2.2.2' }, { ip: '1.1.1.1', hostnames: ['a'] }] } },
  },
  {
    does: 'merges owner references by uid',
    original: { metadata: { ownerReferences: [{ uid: 'u', name: 'a' }] } },
    patch: { metadata: { ownerReferences: [{ uid: 'u', controller: true }] } },
    gives: { metadata: { ownerReferences: [{ uid: 'u', name: 'a', controller: true }] } },
  },
];

const order = (...names: string[]) => ({ '$setElementOrder/containers': names.map((name) => ({ name })) });
const ordered = (names: string[], ...list: object[]) => ({ spec: { ...order(...names), containers: list } });

const orders: Case[] = [
  {
    does: 'reorders without changes',
    original: containers(web, log),
    patch: { spec: order('log', 'web') },
    gives: containers(log, web),
  },
  {
    does: 'puts an added item in its place',
    original: containers(web, log),
    patch: ordered(['web', 'job', 'log'], job),
    gives: containers(web, job, log),
  },
  {
    does: 'reorders and changes',
    original: containers(web, log),
    patch: ordered(['log', 'web'], { name: 'web', image: 'web:2' }),
    gives: containers(log, { name: 'web', image: 'web:2' }),
  },
  {
    does: 'keeps an item of the server before what followed it',
    original: containers(web, job, log),
    patch: { spec: order('web', 'log') },
    gives: containers(web, job, log),
  },
  {
    does: 'keeps an item of the server at the end',
    original: containers(web, log, job),
    patch: { spec: order('log', 'web') },
    gives: containers(log, web, job),
  },
  {
    does: 'deletes and orders',
    original: containers(web, log, job),
    patch: ordered(['job', 'web'], { name: 'log', $patch: 'delete' }),
    gives: containers(job, web),
  },
  {
    does: 'orders a list that it adds',
    original: { spec: {} },
    patch: ordered(['web', 'log'], web, log),
    gives: containers(web, log),
  },
  {
    does: 'ignores the order of a list that is nowhere',
    original: { spec: {} },
    patch: { spec: order('web') },
    gives: { spec: {} },
  },
  {
    does: 'orders sets of values',
    original: finalizers('a', 'b'),
    patch: { metadata: { '$setElementOrder/finalizers': ['b', 'c', 'a'], finalizers: ['c'] } },
    gives: finalizers('b', 'c', 'a'),
  },
];

const sets: Case[] = [
  { does: 'adds to a set of values', original: finalizers('a'), patch: finalizers('b'), gives: finalizers('b', 'a') },
  {
    does: 'keeps a set for values it has',
    original: finalizers('a', 'b'),
    patch: finalizers('a'),
    gives: finalizers('a', 'b'),
  },
  {
    does: 'drops repeated values',
    original: finalizers('a', 'a'),
    patch: finalizers('b', 'b'),
    gives: finalizers('b', 'a'),
  },
  {
    does: 'deletes from a set',
    original: finalizers('a', 'b', 'c'),
    patch: { metadata: { '$deleteFromPrimitiveList/finalizers': ['a', 'c'] } },
    gives: finalizers('b'),
  },
  {
    does: 'deletes and adds',
    original: finalizers('a', 'b'),
    patch: { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'], finalizers: ['c'] } },
    gives: finalizers('c', 'b'),
  },
  {
    does: 'ignores deletions from a set that is not there',
    original: { metadata: {} },
    patch: { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } },
    gives: { metadata: {} },
  },
  {
    does: 'ignores the deletion of what is not in the set',
    original: finalizers('a'),
    patch: { metadata: { '$deleteFromPrimitiveList/finalizers': ['z'] } },
    gives: finalizers('a'),
  },
];

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

describe('applyStrategicMergePatch', () => {
  describe.each([
    ['objects', maps],
    ['lists by key', keyedLists],
    ['$setElementOrder', orders],
    ['sets of values', sets],
  ])('%s', (_, cases) => {
    it.each(cases)('$does', ({ schema = pod, original, patch, gives }) => {
      expect(applyStrategicMergePatch(deepFreeze(original), deepFreeze(patch), schema)).toEqual(gives);
    });
  });

  it.each(refusals)('refuses $why', ({ original, patch, code, says }) => {
    let refused: StatusError | undefined;
    try {
      applyStrategicMergePatch(deepFreeze(original), deepFreeze(patch), pod);
    } catch (error) {
      refused = error as StatusError;
    }
    expect(refused?.status.code).toBe(code);
    expect(refused?.message).toContain(says);
  });

  it('shares what it does not touch', () => {
    const original = containers(web, log);
    const patched = applyStrategicMergePatch(original, containers({ name: 'log', image: 'log:2' }), pod);
    expect(patched.spec.containers[0]).toBe(web);
  });

  it('does not take a key called __proto__ for a prototype', () => {
    const patch = JSON.parse('{"data": {"__proto__": {"polluted": "yes"}}}');
    const patched = applyStrategicMergePatch({ data: { a: '1' } }, patch, configMap);
    expect(Object.getPrototypeOf(patched.data)).toBe(Object.prototype);
    expect(Object.keys(patched.data)).toEqual(['a', '__proto__']);
  });
});
