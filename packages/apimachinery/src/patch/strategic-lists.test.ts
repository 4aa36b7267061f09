import { describe } from 'vitest';
import {
  type Case,
  containers,
  finalizers,
  job,
  log,
  order,
  ordered,
  patchCases,
  service,
  web,
} from './patch-cases.fixture.js';

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

describe.each([
  ['lists by key', keyedLists],
  ['$setElementOrder', orders],
  ['sets of values', sets],
])('applyStrategicMergePatch to %s', (_, cases) => patchCases(cases));
